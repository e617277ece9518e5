import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Transactions } from '#platform/database/transactions';
import { Outbox } from '#platform/events/outbox';
import { STATISTICS_END } from '../domain/statistics';
import type { Moves } from '../domain/tally/rested';
import { weightOf, weightText } from '../domain/tally/weight';
import { CAMPAGNE_EVENTS } from '../domain/voting.events';
import { type DossierFile, DossierRepository } from '../persistence/dossier.repository';
import {
  type DossierClass,
  type DossierQuestion,
  DossierSourcesQuery,
  type Scrutin,
} from '../persistence/dossier-sources.query';
import { canonical, DossierAnswers } from './dossier-answers';
import { archiveOf } from './dossier-archive';
import { DossierFilters } from './dossier-filters';
import { DossierKeys } from './dossier-keys';
import { DossierWriter } from './dossier-writer';
import { DueWork } from './due-work';
import { StatisticsService } from './statistics.service';

/** The statistics of the whole vote with each decimal as text, in parts: they may have many megabytes. */
interface ToldStatistics {
  readonly parts: readonly string[];
  readonly modificationsApresOuverture: object;
  /** The rounds of each ranked question. */
  readonly rounds: readonly (readonly ToldRound[])[];
}

interface ToldRound {
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
  private readonly work = new DueWork();

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: DossierRepository,
    private readonly sources: DossierSourcesQuery,
    private readonly statistics: StatisticsService,
    private readonly keys: DossierKeys,
    private readonly outbox: Outbox,
  ) {}

  /** Builds the bundles of all tenants that are due. Several workers may do it at once; failures as in `DueWork`. */
  buildAllDue(isStopping: () => boolean = () => false): Promise<void> {
    return this.work.each(
      (except) => this.repository.due(except),
      isStopping,
      (tenantId, id) => this.build(tenantId, id),
    );
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

  private async store(box: Box): Promise<void> {
    const { tenantId, id } = box;
    const scrutin = await this.sources.scrutin(tenantId, id);
    const classes = await this.sources.classes(id);
    const told = await this.told(box);
    const sel = randomBytes(32);

    // The places of manifeste.json, manifeste.jws and scrutin.json, which are made last.
    const next = { place: 3 };
    const put = (nom: string, data: Data): Promise<DossierFile> => this.put(box, next.place++, nom, data);
    const questions: DossierFile[] = [];
    const decimals: number[] = [];
    for (const [place, question] of scrutin.questions.entries()) {
      const answers = await this.answers(box, place, question, told.rounds[place]);
      decimals.push(answers.decimals);
      questions.push(await put(`questions/${String(place).padStart(2, '0')}.ndjson`, answers.parts()));
    }
    const recus = await put('recus.bin', this.sources.receipts(tenantId, id));
    const others = [
      await put('liste.bin', this.sources.rollLeaves(tenantId, id, sel)),
      await put('engagements.ndjson', this.sources.engagements(tenantId, id)),
      await put('resultats.json', this.results(box, scrutin.questions, told)),
    ];
    const shown = await this.put(box, 2, 'scrutin.json', [scrutinText(scrutin, decimals, classes)]);
    const files = [shown, ...questions, recus, ...others];

    const manifest = canonical({
      version: 1,
      campagneId: id,
      ...(await this.sources.rollTotals(tenantId, id)),
      bulletins: classes.reduce((sum, { bulletins }) => sum + bulletins, 0),
      recus: recus.octets / DIGEST_BYTES,
      poidsBulletins: weightText(classes.reduce((sum, { poids }) => sum + weightOf(poids), 0n)),
      modificationsApresOuverture: told.modificationsApresOuverture,
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

  private async answers(
    { id }: Box,
    place: number,
    question: DossierQuestion,
    rounds: readonly ToldRound[] = [],
  ): Promise<DossierAnswers> {
    const answers = new DossierAnswers(question.EstPreferentiel ? movesOf(question, rounds) : undefined);
    for await (const lines of this.sources.answers(id, place)) await answers.add(lines);
    return answers;
  }

  private async *results(
    { tenantId, id }: Box,
    questions: readonly DossierQuestion[],
    whole: ToldStatistics,
  ): AsyncGenerator<string> {
    const filters = new DossierFilters(questions, await this.sources.participation(tenantId, id));
    yield '{"filtres":[';
    let isFirst = true;
    for await (const figures of filters.figures(this.sources.filtered(id))) {
      yield `${isFirst ? '' : ','}${canonical(figures)}`;
      isFirst = false;
    }
    yield '],"tout":';
    yield* whole.parts;
    yield '}';
  }

  private async told({ tenantId, id }: Box): Promise<ToldStatistics> {
    const parts: string[] = [];
    const rounds: ToldRound[][] = [];
    for await (const part of this.statistics.of(tenantId, id, {})) {
      const text = Buffer.from(part).toString();
      if (parts.length > 0 && text.startsWith('{')) {
        const { Tours = [] } = JSON.parse(text) as { Tours?: ToldRound[] };
        rounds.push(Tours.map(({ Elus, Elimines, Transferts }) => ({ Elus, Elimines, Transferts })));
      }
      parts.push(text.replaceAll(DECIMAL, '$1"$2"'));
      await setImmediate();
    }
    const { modificationsApresOuverture } = JSON.parse(parts[0]! + STATISTICS_END) as ToldStatistics;
    return { parts, modificationsApresOuverture, rounds };
  }
}

interface Box {
  readonly tenantId: string;
  readonly id: string;
}

type Data = AsyncIterable<Buffer | string> | Iterable<Buffer | string>;

const DIGEST_BYTES = 32;

function scrutinText(
  { questions, ...rest }: Scrutin,
  decimals: readonly number[],
  classes: readonly DossierClass[],
): string {
  return canonical({
    ...rest,
    questions: questions.map((question, place) => ({ ...question, Decimales: decimals[place] })),
    classes: classes.map(({ perimetres, ...one }) => ({
      ...one,
      perimetres: perimetres
        .map((pair) => ({ pair, text: Buffer.from(canonical(pair)) }))
        .sort((one, other) => Buffer.compare(one.text, other.text))
        .map(({ pair }) => pair),
    })),
  });
}

/** The rounds of a ranked question, with its options by their places. */
function movesOf({ Options }: DossierQuestion, rounds: readonly ToldRound[]): Moves[] {
  const places = new Map(Options.map(({ OptionId }, place) => [OptionId, place]));
  return rounds.map(({ Elus, Elimines, Transferts: [transfer] }) => ({
    gone: [...Elus, ...Elimines].map((option) => places.get(option)!),
    from: transfer && places.get(transfer.De),
  }));
}
