import { CAMPAGNE, VOTE } from '../../domain/voting.errors';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DomainError } from '#platform/errors/domain-error';
import type { EventDefinition } from '#platform/events/event-type';
import { CAMPAGNE_EVENTS } from '../../domain/voting.events';
import type { CampagneRecord, Etat } from './campagne.fields';
import { type Circumstances, refusalsOf, TRANSITIONS, type TransitionName } from './campagne.transitions';
import { fr, type Text } from '#platform/errors/text';

/** Content of a campaign, with the slug of its title and its cleaned text. */
export type CampagneContent = Omit<CampagneRecord, 'textePageAccueil'> & {
  readonly slug: string;
  readonly textePageAccueil: string | null;
};

type Content = Pick<
  Campagne,
  (typeof FIXED_WHILE_OPEN)[number] | 'slug' | 'fermetureDuVoteUtc' | 'textePageAccueil'
>;

const FIXED_WHILE_OPEN = [
  'titre',
  'ouvertureDuVoteUtc',
  'libelleAbstention',
  'ordreReponsesAleatoire',
] as const;

const PAST_CLOSING: Text = {
  en: 'A published campaign cannot be given a closing that has passed: unpublish it first.',
  fr: fr(
    "Une campagne publiée ne peut pas recevoir une fermeture déjà passée : annulez d'abord sa publication.",
  ),
};
const EARLIER_CLOSING: Text = {
  en: 'While the vote is open, fermetureDuVoteUtc can only become later. To close it now, use fermer.',
  fr: fr(
    'Pendant le vote, fermetureDuVoteUtc ne peut être que reportée. Pour le fermer maintenant, utilisez fermer.',
  ),
};

/** A campaign. Its state follows from its facts and the time (docs/contract.md, "States and transitions"). */
@Entity('campagne')
export class Campagne {
  @PrimaryColumn({ type: 'uuid', update: false })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid', update: false })
  idUnique: string;

  @Column('text')
  titre: string;

  @Column('text')
  slug: string;

  @Column('timestamptz')
  ouvertureDuVoteUtc: Date;

  @Column('timestamptz')
  fermetureDuVoteUtc: Date;

  @Column('text', { nullable: true })
  textePageAccueil: string | null;

  @Column('text', { nullable: true })
  libelleAbstention: string | null;

  @Column('boolean')
  ordreReponsesAleatoire: boolean;

  /** Stays true once the vote has ended and when the campaign is archived. */
  @Column('boolean')
  publiee: boolean;

  @Column('boolean')
  archivee: boolean;

  /** Whether the event of this opening has been written. */
  @Column('boolean')
  ouvertureAnnoncee: boolean;

  @Column('boolean')
  fermetureAnnoncee: boolean;

  /** How often it was published: its questions stay the same from one to the next. */
  @Column('integer')
  publications: number;

  /** Whether the ballot box is closed, for good: the database's own function does it. */
  @Column({ type: 'boolean', update: false, insert: false })
  urneClose: boolean;

  /** The threshold of anonymity: the database's own functions set it. Null in a draft that has none. */
  @Column({ type: 'integer', nullable: true, update: false, insert: false })
  seuilAnonymat: number | null;

  /** Number of voters on the roll, updated by each write of the roll. */
  @Column({ type: 'integer', update: false, insert: false })
  nombreVotants: number;

  /** The state at a moment; in SQL it is `campagne_etat` (campagne/sql/campagne_etat.sql). */
  etat(at: Date): Etat {
    if (this.archivee) return 'Archive';
    if (!this.publiee) return 'Brouillon';
    if (at < this.ouvertureDuVoteUtc) return 'Planifie';
    return at < this.fermetureDuVoteUtc && !this.urneClose ? 'VoteOuvert' : 'Termine';
  }

  /** Whether its vote has opened, archived or not; in SQL it is `hasOpened` (campagne.sql.ts). */
  hasOpened(at: Date): boolean {
    return this.publiee && at >= this.ouvertureDuVoteUtc;
  }

  /** Whether its vote has ended, archived or not; in SQL it is `hasEnded` (campagne.sql.ts). */
  hasEnded(at: Date): boolean {
    return this.publiee && at >= this.fermetureDuVoteUtc;
  }

  /** @throws DomainError the first refusal of the transition, see `TRANSITIONS` */
  fire(name: TransitionName, circumstances: Circumstances, at: Date): void {
    const [refusal] = refusalsOf(name, this.etat(at), circumstances, at);
    if (refusal) throw new DomainError(refusal.error, refusal.detail);
    Object.assign(this, TRANSITIONS[name].change(at));
    if (name === 'publier') this.publications++;
    const to: readonly Etat[] = TRANSITIONS[name].to;
    if (!to.includes(this.etat(at))) throw new Error(`${name} led to ${this.etat(at)}.`);
  }

  /**
   * Replaces everything that can be written: all of it in Brouillon and Planifie, a later closing and the text of the
   * welcome page in VoteOuvert (docs/contract.md, "Campaigns").
   *
   * @throws DomainError `Campagne.OuvertureVoteApresFermeture`, `Campagne.ModificationNonPermise`
   */
  replaceWith(content: CampagneContent, at: Date): void {
    if (content.ouvertureDuVoteUtc > content.fermetureDuVoteUtc) {
      const detail = {
        en: 'ouvertureDuVoteUtc is after fermetureDuVoteUtc: open the vote before it closes.',
        fr: fr('ouvertureDuVoteUtc est après fermetureDuVoteUtc : ouvrez le vote avant sa fermeture.'),
      };
      throw new DomainError(CAMPAGNE.OuvertureVoteApresFermeture, detail);
    }
    const next: Content = {
      titre: content.titre,
      // Addresses with the slug outlive a release that writes the same title another way.
      slug: content.titre === this.titre ? this.slug : content.slug,
      ouvertureDuVoteUtc: content.ouvertureDuVoteUtc,
      fermetureDuVoteUtc: content.fermetureDuVoteUtc,
      textePageAccueil: content.textePageAccueil,
      libelleAbstention: content.libelleAbstention ?? null,
      ordreReponsesAleatoire: content.ordreReponsesAleatoire ?? false,
    };
    const refusal = this.changeRefusal(next, at);
    if (refusal) throw new DomainError(CAMPAGNE.ModificationNonPermise, refusal);
    Object.assign(this, next);
  }

  private changeRefusal(next: Content, at: Date): Text | undefined {
    const etat = this.etat(at);
    switch (etat) {
      case 'Brouillon':
        return undefined;
      case 'Planifie':
        return at < next.fermetureDuVoteUtc ? undefined : PAST_CLOSING;
      case 'VoteOuvert': {
        const changed = FIXED_WHILE_OPEN.filter((name) => !isSame(this[name], next[name]));
        if (changed.length > 0) {
          const names = changed.join(', ');
          return {
            en: `While the vote is open, ${names} cannot change.`,
            fr: fr`Les propriétés suivantes ne peuvent pas changer pendant le vote : ${names}.`,
          };
        }
        return next.fermetureDuVoteUtc < this.fermetureDuVoteUtc ? EARLIER_CLOSING : undefined;
      }
      default:
        return {
          en: `A campaign in state ${etat} cannot change any more.`,
          fr: fr`Une campagne à l'état ${etat} ne peut plus changer.`,
        };
    }
  }

  /**
   * Checks that the roll may change: until the campaign ends (docs/contract.md, "Voters").
   *
   * @throws DomainError `Campagne.ModificationNonPermise`
   */
  assertOpenRoll(at: Date): void {
    if (this.hasOpenRoll(at)) return;
    const etat = this.etat(at);
    const detail = {
      en: `The campaign is in state ${etat}: its roll is read-only.`,
      fr: fr`La campagne est à l'état ${etat} : sa liste électorale est en lecture seule.`,
    };
    throw new DomainError(CAMPAGNE.ModificationNonPermise, detail);
  }

  /** Whether the roll may change. */
  hasOpenRoll(at: Date): boolean {
    const etat = this.etat(at);
    return etat === 'Brouillon' || etat === 'Planifie' || etat === 'VoteOuvert';
  }

  /** Whether a weight must not become one of few voters: once it is published with a threshold. */
  get guardsWeights(): boolean {
    return this.publiee && (this.seuilAnonymat ?? 1) > 1;
  }

  /** Checks that the vote is open. @throws DomainError `Vote.CampagneNonOuverte` */
  assertTakesBallots(at: Date): void {
    const etat = this.etat(at);
    if (etat === 'VoteOuvert') return;
    const detail = {
      en: `The campaign is in state ${etat}. Ballots are accepted in VoteOuvert only.`,
      fr: fr`La campagne est à l'état ${etat}. Les bulletins sont acceptés à l'état VoteOuvert seulement.`,
    };
    throw new DomainError(VOTE.CampagneNonOuverte, detail);
  }

  /** Returns the events of openings and closings that are due and unpublished. Returns each event once. */
  takeDueEvents(at: Date): EventDefinition[] {
    const events: EventDefinition[] = [];
    if (this.hasOpened(at) && !this.ouvertureAnnoncee) {
      this.ouvertureAnnoncee = true;
      events.push(CAMPAGNE_EVENTS.ouverte);
    }
    if (this.hasEnded(at) && !this.fermetureAnnoncee) {
      this.fermetureAnnoncee = true;
      events.push(CAMPAGNE_EVENTS.terminee);
    }
    return events;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other;
}
