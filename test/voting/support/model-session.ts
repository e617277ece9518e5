import { createHash, randomUUID } from 'node:crypto';
import { LifecycleService } from '../../../libs/voting/src';
import type { Answer, TestApp } from '../../setup/test-app';
import type { Campaigns } from './campaigns';
import {
  type Campagne,
  type Content,
  type Expected,
  GONE,
  type Reference,
  type Shown,
  type Votant,
} from './model';
import type { Change, Command, Transition, Window } from './model-commands';
import { type Answers, Disagreement, expectSame, picked } from './model-comparison';
import { isStructural, type Structural, StructureSession } from './model-structure';

const HOUR = 3_600_000;
const MOST_ROUNDS = 25;

const TRANSITIONS = {
  publier: 'publish',
  depublier: 'unpublish',
  ouvrir: 'openNow',
  fermer: 'closeNow',
  archiver: 'archive',
} as const satisfies Record<Transition, keyof Reference>;

/** The rows that are left of a campaign. */
interface Left {
  id: string;
  questions: Shown[] | null;
  votants: unknown[] | null;
  evenements: string[] | null;
}

/** A sequence of commands, which compares the service with the reference. */
export class Session {
  private titles = 0;
  private readonly structure: StructureSession;
  /** The earliest possible time of the last change, for each campaign changed since its last read. */
  private readonly changed = new Map<Campagne, number>();
  /** Voters who are or were on the roll. Requests for deleted voters are sent, too. */
  private readonly votants = new Map<Campagne, Votant[]>();

  /** @param mark begins the titles of this sequence, and of no other */
  constructor(
    private readonly app: TestApp,
    private readonly campaigns: Campaigns,
    private readonly reference: Reference,
    private readonly answers: Answers,
    private readonly mark: string,
  ) {
    this.structure = new StructureSession(campaigns, reference, answers);
  }

  /** @throws Disagreement on the answer, or on what is read after a change */
  async step(command: Command): Promise<void> {
    const sent = this.tick();
    if (command.do === 'create') return this.create(command.title, command.window, sent);
    const { campagnes } = this.reference;
    const campagne = campagnes[command.on % campagnes.length];
    if (!campagne) return;
    if (isStructural(command)) {
      const { changes } = await this.structure.step(campagne, command);
      if (changes) this.changed.set(campagne, sent);
      return;
    }
    const answer = await this.run(campagne, command, sent);
    if (answer) this.expectItem(campagne, answer, sent);
  }

  /** @throws Disagreement on anything that is left in the end: the list, the events, the rows */
  async finish(): Promise<void> {
    const { campagnes } = this.reference;
    const left = campagnes.filter(({ supprimee }) => !supprimee);
    const list = (await this.campaigns.sent('GET', `?titre=${encodeURIComponent(this.mark)}`))
      .json as Shown[];
    this.tick();
    left.forEach((campagne, index) => this.adoptTimes(campagne, list[index] ?? {}, 0));
    expectSame(
      'the list',
      list,
      left.map((campagne) => this.reference.listed(campagne)),
    );
    for (const { id, questions, votants, evenements } of await this.told()) {
      const campagne = campagnes.find((one) => one.id === id)!;
      expectSame('the events', evenements ?? [], campagne.evenements);
      const { supprimee } = campagne;
      expectSame(
        'the rows of questions',
        questions ?? [],
        supprimee ? [] : this.reference.questions(campagne),
      );
      const roll = campagne.votants.map(({ id, droit, vote }) => [id, droit, vote]);
      expectSame('the rows of the roll', votants ?? [], supprimee ? [] : roll);
    }
  }

  /** Returns the rows that are left once a worker's scheduler has sent the events of changes that are due by time alone. */
  private async told(): Promise<Left[]> {
    const { campagnes } = this.reference;
    for (let round = 1; ; round++) {
      await this.app.app.get(LifecycleService).tellAllDue();
      this.tick();
      const left = await this.left();
      const isMissing = left.some(({ id, evenements }) => {
        const campagne = campagnes.find((one) => one.id === id)!;
        return (evenements ?? []).length < campagne.evenements.length;
      });
      // A campaign that the scheduler's round of another sequence has locked at this moment waits for the next round.
      if (!isMissing || round === MOST_ROUNDS) return left;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  private left(): Promise<Left[]> {
    return this.campaigns.rows<Left>(
      `SELECT c.id,
         (SELECT json_agg(json_build_object(
             'Id', q.id_unique, 'Titre', q.titre, 'Type', q.type, 'Ordre', q.ordre, 'MinReponses', q.min_reponses,
             'Options', (
               SELECT coalesce(json_agg(json_build_object(
                 'Id', o.id_unique, 'Libelle', o.libelle, 'Ordre', o.ordre) ORDER BY o.ordre), '[]')
               FROM option o WHERE o.tenant_id = $1 AND o.question_id = q.id_unique
             )) ORDER BY q.ordre)
           FROM question q WHERE q.tenant_id = $1 AND q.campagne_id = c.id) AS questions,
         (SELECT json_agg(json_build_array(v.id_unique, v.a_droit_de_vote, v.a_vote) ORDER BY v.date_creation, v.id_unique)
           FROM votant v WHERE v.tenant_id = $1 AND v.campagne_id = c.id) AS votants,
         (SELECT json_agg(e.type ORDER BY e.date_creation, e.id_unique)
           FROM evenement e WHERE e.tenant_id = $1 AND e.data ->> 'id' = c.id::text) AS evenements
       FROM unnest($2::uuid[]) AS c (id)`,
      this.reference.campagnes.map(({ id }) => id),
    );
  }

  private tick(): number {
    const now = Date.now();
    this.reference.tick(now);
    return now;
  }

  private async create(title: string | undefined, window: Window, sent: number): Promise<void> {
    const titre = this.title(title);
    const content: Content = {
      ...{ titre: titre.trim(), ...datesOf(window, sent) },
      ...{ texte: null, libelle: null, aleatoire: false },
    };
    const answer = await this.campaigns.send('POST', '', { ...bodyOf(content), titre });
    const expected = this.reference.create(content);
    this.answers.expect('create', answer, expected);
    if (!expected.changes) return;
    const campagne = this.reference.campagnes.at(-1)!;
    campagne.id = String(answer.json);
    const { json } = await this.campaigns.sent('GET', `/${campagne.id}`);
    campagne.creation = String(json.dateCreationUtc);
    expectSame('the first change', json.dateModificationUtc, campagne.creation);
    this.changed.set(campagne, sent);
    this.expectItem(campagne, json, sent);
  }

  private title(word = `Vote ${++this.titles}`): string {
    // A space before a word stays one before the whole title.
    return /^ /.test(word) ? ` ${this.mark}${word}` : `${this.mark} ${word}`;
  }

  /** @returns the campaign as the service shows it afterwards, where it has been read */
  private async run(
    campagne: Campagne,
    command: Exclude<Command, Structural | { do: 'create' }>,
    sent: number,
  ): Promise<Shown | undefined> {
    const path = `/${campagne.id}`;
    const { reference } = this;
    switch (command.do) {
      case 'pass':
        if (campagne.supprimee) return undefined;
        await this.campaigns.pass(campagne.id!, `${command.hours} hours`);
        campagne.ouverture -= command.hours * HOUR;
        campagne.fermeture -= command.hours * HOUR;
        // The clock holds at once, whether a worker runs or not.
        return (await this.campaigns.sent('GET', path)).json as Shown;
      case 'vote': {
        const votant = campagne.votants.find(({ droit, vote }) => droit && !vote);
        if (campagne.etat !== 'VoteOuvert' || campagne.supprimee || !votant) return undefined;
        await this.campaigns.markVoted(campagne.id!, votant.id!);
        votant.vote = true;
        this.answers.seen.add('vote');
        return undefined;
      }
      case 'validation':
        await this.validate(campagne);
        return undefined;
      case 'replace': {
        const { content, titre } = this.contentOf(campagne, command.change, sent);
        const answer = await this.campaigns.send('PUT', path, { ...bodyOf(content), titre });
        return this.written(campagne, command, answer, reference.replace(campagne, content), sent);
      }
      case 'delete': {
        const answer = await this.campaigns.send('DELETE', path);
        this.answers.expect('delete', answer, reference.delete(campagne));
        return undefined;
      }
      case 'addVotant':
      case 'deleteVotant':
      case 'setDroit':
        await this.runOnRoll(campagne, command);
        return undefined;
      default: {
        const answer = await this.campaigns.send('POST', `${path}/${command.do}`);
        return this.written(campagne, command, answer, reference[TRANSITIONS[command.do]](campagne), sent);
      }
    }
  }

  private async validate(campagne: Campagne): Promise<void> {
    const answer = await this.campaigns.send('GET', `/${campagne.id}/validation`);
    const { supprimee } = campagne;
    this.answers.expect('validation', answer, supprimee ? GONE : { status: 200, changes: false });
    if (supprimee) return;
    const codes = (answer.json.erreurs as { code: string }[]).map(({ code }) => code);
    const expected = this.reference.obstacles(campagne);
    // A campaign that has ended is in no state to be published, and its closing has passed: one code for both, once or twice.
    expectSame('what stops it', [...new Set(codes)], expected);
    expectSame('whether nothing does', answer.json.valide, expected.length === 0);
  }

  private contentOf(campagne: Campagne, change: Change, sent: number): { content: Content; titre: string } {
    const { titre, ouverture, fermeture, texte, libelle, aleatoire } = campagne;
    const content: Content = { titre, ouverture, fermeture, texte, libelle, aleatoire };
    switch (change.what) {
      case 'title': {
        const title = this.title(change.title);
        return { content: { ...content, titre: title.trim() }, titre: title };
      }
      case 'window':
        Object.assign(content, datesOf(change.window, sent));
        break;
      case 'later':
        content.fermeture += 2 * HOUR;
        break;
      case 'earlier':
        content.fermeture -= 2 * HOUR;
        break;
      case 'text':
        content.texte = texte === null ? '<p>Bonjour</p>' : null;
        break;
      case 'label':
        content.libelle = libelle === null ? 'Blanc' : null;
        break;
      case 'random':
        content.aleatoire = !aleatoire;
        break;
      case 'nothing':
    }
    return { content, titre };
  }

  private async runOnRoll(
    campagne: Campagne,
    command: Extract<Command, { do: 'addVotant' | 'deleteVotant' | 'setDroit' }>,
  ): Promise<void> {
    const { answers, reference } = this;
    const path = `/${campagne.id}/votants`;
    const known = this.votants.get(campagne) ?? [];
    const pick = (number: number): Votant =>
      picked(known, number, () => ({ id: randomUUID(), droit: true, vote: false }));
    switch (command.do) {
      case 'addVotant': {
        const answer = await this.campaigns.send('POST', `${path}/upsert`, { Prenom: 'Zoé', Nom: 'Roy' });
        const expected = reference.addVotant(campagne);
        answers.expect(command.do, answer, expected);
        if (expected.status !== 201) return;
        const votant = campagne.votants.at(-1)!;
        votant.id = String(answer.json.VotantId);
        this.votants.set(campagne, [...known, votant]);
        return;
      }
      case 'deleteVotant': {
        const votant = pick(command.votant);
        const answer = await this.campaigns.send('DELETE', `${path}/${votant.id}`);
        answers.expect(command.do, answer, reference.deleteVotant(campagne, votant));
        return;
      }
      case 'setDroit': {
        const named = [...new Set(command.votants.map(pick))];
        const body = { VotantIds: named.map(({ id }) => id), ADroitDeVote: command.droit };
        const answer = await this.campaigns.send('PUT', `${path}/droit-de-vote`, body);
        const expected = reference.setDroit(campagne, named, command.droit);
        answers.expect(command.do, answer, expected);
        if (expected.status !== 200) return;
        const unknown = named.filter((votant) => !campagne.votants.includes(votant)).map(({ id }) => id);
        const result = { NombreModifies: named.length - unknown.length, VotantIdsNonTrouves: unknown };
        expectSame('the result', answer.json, result);
      }
    }
  }

  /** Compares the response to a write. @returns the item in the response, if the write was done */
  private written(
    campagne: Campagne,
    command: Command,
    answer: Answer,
    expected: Expected,
    sent: number,
  ): Shown | undefined {
    this.answers.expect(command.do, answer, expected);
    if (expected.changes) this.changed.set(campagne, sent);
    return expected.status === 200 ? (answer.json as Shown) : undefined;
  }

  private expectItem(campagne: Campagne, json: Shown, sent: number): void {
    this.adoptTimes(campagne, json, sent);
    this.tick();
    const { graineDepartage, empreinteGraineDepartage, ...rest } = json;
    this.expectSeed(campagne, graineDepartage, empreinteGraineDepartage);
    expectSame('the campaign', rest, this.reference.item(campagne));
  }

  /** A published campaign shows the digest of its seed. The seed is shown after the vote, and is the one of the digest. */
  private expectSeed(campagne: Campagne, seed: unknown, digest: unknown): void {
    const { etat, aFini } = campagne;
    expectSame(
      'whether there is a seed',
      digest !== null,
      aFini || ['Planifie', 'VoteOuvert'].includes(etat),
    );
    if (typeof seed !== 'string') return expectSame('no seed', seed, null);
    expectSame('whether the seed may be told', aFini, true);
    const told = createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex');
    expectSame('the seed', told, digest);
  }

  /** Takes over the times that the service gives. @throws Disagreement on a time before the request for it */
  private adoptTimes(campagne: Campagne, json: Shown, sent: number): void {
    const adopted = (name: string, since: number): string => {
      const time = String(json[name]);
      // A time of the database is rounded to the millisecond.
      const isSince = time >= new Date(since).toISOString() && time <= new Date(Date.now() + 1).toISOString();
      if (!isSince) throw new Disagreement(`${name} is ${time}, which is not when it was asked for`);
      return time;
    };
    const changed = this.changed.get(campagne);
    if (changed !== undefined) campagne.modification = adopted('dateModificationUtc', changed);
    this.changed.delete(campagne);
    if (Number.isNaN(campagne.ouverture))
      campagne.ouverture = Date.parse(adopted('ouvertureDuVoteUtc', sent));
    if (Number.isNaN(campagne.fermeture))
      campagne.fermeture = Date.parse(adopted('fermetureDuVoteUtc', sent));
  }
}

function datesOf([ouverture, fermeture]: Window, now: number): Pick<Content, 'ouverture' | 'fermeture'> {
  return { ouverture: now + ouverture * HOUR, fermeture: now + fermeture * HOUR };
}

function bodyOf({ ouverture, fermeture, texte, libelle, aleatoire }: Content): Shown {
  return {
    ouvertureDuVoteUtc: new Date(ouverture).toISOString(),
    fermetureDuVoteUtc: new Date(fermeture).toISOString(),
    ...{ textePageAccueil: texte, libelleAbstention: libelle, ordreReponsesAleatoire: aleatoire },
  };
}
