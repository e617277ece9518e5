import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Transactions } from '#platform/database/transactions';
import { Outbox } from '#platform/events/outbox';
import type { SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { STATISTICS_END } from '../../count/domain/statistics';
import type { Moves } from '../../count/domain/tally/rested';
import { weightOf, weightText } from '../../count/domain/tally/weight';
import { ChiffrementRepository } from '../../chiffrement/persistence/chiffrement.repository';
import { CAMPAGNE_EVENTS } from '../../domain/voting.events';
import { type DossierFile, DossierRepository } from '../persistence/dossier.repository';
import {
  type DossierPerimetre,
  type DossierQuestion,
  DossierSourcesQuery,
  type Scrutin,
  type ShownQuestion,
} from '../persistence/dossier-sources.query';
import { canonical, DossierAnswers } from './dossier-answers';
import { DossierSums } from './dossier-sums';
import { archiveOf } from './dossier-archive';
import { filterTexts } from './dossier-filters';
import { DossierKeys } from '../../application/dossier-keys';
import { DossierWriter } from './dossier-writer';
import { StatisticsService } from '../../count/application/statistics.service';

/** Parts of the statistics that other files of a bundle need; collected while the statistics are written. */
interface Collected {
  /** The rounds of each ranked question, by its place. */
  readonly moves: Map<number, readonly Moves[]>;
  modificationsApresOuverture?: object;
}

interface ShownRound {
  readonly Elus: readonly string[];
  readonly Elimines: readonly string[];
  readonly Transferts: readonly { readonly De: string }[];
}

/**
 * A decimal in the statistics. Inside a text no quotation mark follows a brace or comma, because it would have a backslash
 * before it.
 */
const DECIMAL = /([{,]"(?:tauxParticipation|PoidsTotal|Pourcentage|Seuil|Poids|Epuises|Epuise)":)(-?[\d.]+)/g;

/** Builds the bundles of sealed boxes, by which anyone can count them again (docs/adr/0041). */
@Injectable()
export class DossierBuilderService {
  private readonly work: SharedWork;

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: DossierRepository,
    private readonly sources: DossierSourcesQuery,
    private readonly statistics: StatisticsService,
    private readonly chiffrement: ChiffrementRepository,
    private readonly keys: DossierKeys,
    private readonly outbox: Outbox,
    sharing: WorkSharing,
  ) {
    this.work = sharing.of({ name: 'dossier', atOnce: 2, isLong: true });
  }

  /** Builds the bundles of all tenants that are due. Shared out by client, and failures, as in `SharedWork`. */
  buildAllDue(): Promise<void> {
    return this.work.each({
      find: (except) => this.repository.due(except),
      work: ({ tenantId, id }) => this.build(tenantId, id),
    });
  }

  /** All of it or nothing, with the event `campagne.scellee`. @returns whether this call built it */
  async build(tenantId: string, id: string): Promise<boolean> {
    await this.keys.ready();
    return this.transactions.run({ tenantId }, async () => {
      if (!(await this.repository.begin(tenantId, id))) return false;
      await this.store({ tenantId, id });
      return true;
    });
  }

  /** Writes file by file and question by question: memory does not grow with the number of questions. */
  private async store(box: Box): Promise<void> {
    const { tenantId, id } = box;
    const scrutin = await this.sources.scrutin(tenantId, id);
    const encrypted = scrutin.chiffrement ? this.encrypted(box) : [];
    const questions = await this.sources.questions(tenantId, id);
    const collected: Collected = { moves: new Map() };
    const sel = randomBytes(32);

    const behind = FIRST_QUESTION + questions.length;
    // First, because the rounds that they show cut the rankings.
    const resultats = await this.put(
      box,
      behind + 3 + encrypted.length,
      'resultats.json',
      this.results(box, questions, collected),
    );
    const answered: DossierFile[] = [];
    const decimals: number[] = [];
    for (const place of questions.keys()) {
      const answers = scrutin.chiffrement
        ? await this.sums(box, place, questions[place]!)
        : await this.answers(box, place, collected.moves.get(place));
      decimals.push(answers.decimals);
      const nom = `questions/${String(place).padStart(2, '0')}.ndjson`;
      answered.push(await this.put(box, FIRST_QUESTION + place, nom, answers.parts()));
    }
    const recus = await this.put(box, behind, 'recus.bin', this.sources.receipts(tenantId, id));
    const leaves = this.sources.rollLeaves(tenantId, id, sel);
    const liste = await this.put(box, behind + 1, 'liste.bin', leaves);
    const sealed: DossierFile[] = [];
    for (const [place, [nom, data]] of encrypted.entries())
      sealed.push(await this.put(box, behind + 2 + place, nom, data));
    const notes = this.sources.engagements(tenantId, id);
    const engagements = await this.put(box, behind + 2 + encrypted.length, 'engagements.ndjson', notes);
    const classes = new DossierClasses();
    const shown = (place: number): Promise<ShownQuestion> => this.sources.shown(tenantId, id, place);
    const perimetres = classes.texts(this.sources.perimetres(id));
    const subject = await this.put(
      box,
      2,
      'scrutin.json',
      scrutinTexts(scrutin, perimetres, decimals, shown),
    );
    const files = [subject, ...answered, recus, liste, ...sealed, engagements, resultats];

    const manifest = canonical({
      version: scrutin.chiffrement ? 4 : 3,
      campagneId: id,
      ...(await this.sources.rollTotals(tenantId, id)),
      bulletins: classes.bulletins,
      recus: recus.octets / DIGEST_BYTES,
      poidsBulletins: weightText(classes.poids),
      modificationsApresOuverture: collected.modificationsApresOuverture,
      listes: await this.listes(tenantId, id),
      fichiers: files,
    });
    const first = await this.put(box, 0, 'manifeste.json', [manifest]);
    const signature = await this.keys.detachedJws(Buffer.from(manifest));
    const fichiers = [first, await this.put(box, 1, 'manifeste.jws', [signature]), ...files];

    const fermeture = new Date(scrutin.fermetureDuVoteUtc);
    const archive = createHash('sha256');
    const parts = (fichier: number): AsyncGenerator<Buffer> => this.repository.parts(tenantId, id, fichier);
    for await (const bytes of archiveOf({ fichiers, fermeture }, parts)) archive.update(bytes);
    const { sha256: empreinte } = first;
    const dossier = { empreinte, empreinteArchive: archive.digest('hex'), fichiers };
    await this.repository.add(tenantId, id, dossier, sel);
    const data = { campagneId: id, titre: scrutin.titre, empreinte };
    await this.outbox.add(tenantId, CAMPAGNE_EVENTS.scellee, JSON.stringify(data));
  }

  private async put({ tenantId, id }: Box, place: number, nom: string, data: Data): Promise<DossierFile> {
    const writer = new DossierWriter(this.repository, { tenantId, id }, place);
    for await (const part of data) await writer.write(part);
    return writer.end(nom);
  }

  /** Returns digests of the lists. The bundle is public, and the criteria and reasons are not. */
  private async listes(
    tenantId: string,
    id: string,
  ): Promise<{ nombre: number; empreinteCriteres: string; empreinteMotifs: string }> {
    const criteria = createHash('sha256');
    let nombre = 0;
    for await (const list of this.sources.listes(tenantId, id)) {
      criteria.update(`${canonical(JSON.parse(list) as object)}\n`);
      nombre++;
    }
    const motifs = canonical(await this.sources.motifs(tenantId, id));
    const empreinteMotifs = createHash('sha256').update(motifs).digest('hex');
    return { nombre, empreinteCriteres: criteria.digest('hex'), empreinteMotifs };
  }

  /** The files that only an encrypted vote has (docs/encrypted-vote.md, "The bundle"). */
  private encrypted({ tenantId, id }: Box): [nom: string, data: Data][] {
    const { chiffrement } = this;
    return [
      ['chiffrement/ceremonie.ndjson', lines(() => chiffrement.files(tenantId, id, 'ceremony'))],
      ['chiffrement/bulletins.ndjson', lines(() => chiffrement.ballots(tenantId, id))],
      ['chiffrement/sommes.ndjson', lines(() => chiffrement.sums(tenantId, id))],
      ['chiffrement/dechiffrements.ndjson', lines(() => chiffrement.used(tenantId, id))],
    ];
  }

  private async sums({ id }: Box, place: number, { options }: DossierQuestion): Promise<DossierSums> {
    const sums = new DossierSums(options.length);
    for await (const lines of this.sources.answers(id, place)) sums.add(lines);
    return sums;
  }

  /** @param moves the rounds of a ranked question */
  private async answers({ id }: Box, place: number, moves?: readonly Moves[]): Promise<DossierAnswers> {
    const answers = new DossierAnswers(moves);
    for await (const lines of this.sources.answers(id, place)) await answers.add(lines);
    return answers;
  }

  private async *results(
    box: Box,
    questions: readonly DossierQuestion[],
    collected: Collected,
  ): AsyncGenerator<string, void> {
    yield '{"filtres":[';
    yield* filterTexts(questions, this.sources.filtered(box.tenantId, box.id));
    yield '],"tout":';
    yield* this.whole(box, questions, collected);
    yield '}';
  }

  /** The statistics of the whole vote with each decimal as text: the head, and then the questions with commas between them. */
  private async *whole(
    { tenantId, id }: Box,
    questions: readonly DossierQuestion[],
    collected: Collected,
  ): AsyncGenerator<string, void> {
    let place = 0;
    for await (const part of this.statistics.of(tenantId, id, {}, { isKept: false })) {
      const text = Buffer.from(part).toString();
      if (!collected.modificationsApresOuverture)
        collected.modificationsApresOuverture = modificationsIn(text);
      else if (text.startsWith('{')) {
        const question = questions[place]!;
        if (question.EstPreferentiel) collected.moves.set(place, movesOf(question, text));
        place++;
      }
      yield text.replaceAll(DECIMAL, '$1"$2"');
      await setImmediate();
    }
  }
}

/** Lines with their ends. @param read reads them, all at once or in batches */
async function* lines(
  read: () => Promise<readonly string[]> | AsyncIterable<readonly string[]>,
): AsyncGenerator<string, void> {
  const source = read();
  const batches = source instanceof Promise ? [await source] : source;
  for await (const batch of batches) yield batch.map((line) => `${line}\n`).join('');
}

interface Box {
  readonly tenantId: string;
  readonly id: string;
}

type Data = AsyncIterable<Buffer | string> | Iterable<Buffer | string>;

const DIGEST_BYTES = 32;

/** Place of the first question among the files: behind manifeste.json, manifeste.jws and scrutin.json. */
const FIRST_QUESTION = 3;

/** Classes and questions in the canonical JSON of the rest, whose other members before the title have no such names. */
const AROUND = /^(.*?"classes":\[)(\].*?"questions":\[)(\].*)$/s;

/** scrutin.json, question by question. */
async function* scrutinTexts(
  scrutin: Scrutin,
  classes: AsyncIterable<string>,
  decimals: readonly number[],
  shown: (place: number) => Promise<ShownQuestion>,
): AsyncGenerator<string, void> {
  const [, before, between, after] = AROUND.exec(canonical({ ...scrutin, classes: [], questions: [] }))!;
  yield before!;
  yield* classes;
  yield between!;
  for (const [place, Decimales] of decimals.entries())
    yield (place > 0 ? ',' : '') + canonical({ ...(await shown(place)), Decimales });
  yield after!;
}

/** The classes of ballots in scrutin.json, and their sums. */
class DossierClasses {
  bulletins = 0;
  poids = 0n;

  /** @param perimetres those of a class follow each other */
  async *texts(perimetres: AsyncIterable<DossierPerimetre>): AsyncGenerator<string, void> {
    let last: DossierPerimetre | undefined;
    for await (const one of perimetres) {
      const { classe, bulletins, poids, perimetre } = one;
      if (last?.classe === classe) yield `,${perimetre}`;
      else {
        if (last) yield `${endOfClass(last)},`;
        yield `{"bulletins":${bulletins},"classe":${classe},"perimetres":[${perimetre}`;
        this.bulletins += bulletins;
        this.poids += weightOf(poids);
      }
      last = one;
    }
    if (last) yield endOfClass(last);
  }
}

const endOfClass = ({ poids }: DossierPerimetre): string => `],"poids":"${poids}"}`;

/** The changes of the roll in the head of the statistics. */
function modificationsIn(head: string): object {
  const { modificationsApresOuverture } = JSON.parse(head + STATISTICS_END) as Required<Collected>;
  return modificationsApresOuverture;
}

/** The rounds that the JSON of a ranked question shows, with its options by their places. */
export function movesOf({ options }: DossierQuestion, text: string): Moves[] {
  const { Tours = [] } = JSON.parse(text) as { readonly Tours?: readonly ShownRound[] };
  const places = new Map(options.map((option, place) => [option, place]));
  return Tours.map(({ Elus, Elimines, Transferts: [transfer] }) => ({
    gone: [...Elus, ...Elimines].map((option) => places.get(option)!),
    from: transfer && places.get(transfer.De),
  }));
}
