import { CAMPAGNE_EVENTS } from '../../domain/voting.events';
import fc from 'fast-check';
import { DomainError } from '#platform/errors/domain-error';
import { Campagne, type CampagneContent } from './campagne.entity';
import type { Circumstances } from './campagne.transitions';

const OPENING = new Date('2027-03-01T13:00:00.000Z');
const CLOSING = new Date('2027-03-08T22:00:00.000Z');
const BEFORE = new Date('2027-02-01T00:00:00.000Z');
const DURING = new Date('2027-03-05T00:00:00.000Z');
const AFTER = new Date('2027-04-01T00:00:00.000Z');

/** A moment so many milliseconds after another one. */
const plus = (date: Date, ms: number): Date => new Date(date.getTime() + ms);

function campagne(facts: Partial<Campagne> = {}): Campagne {
  const draft = {
    titre: 'Vote',
    slug: 'vote',
    ouvertureDuVoteUtc: OPENING,
    fermetureDuVoteUtc: CLOSING,
    textePageAccueil: '<p>Bienvenue</p>',
    libelleAbstention: 'Je m’abstiens',
    ordreReponsesAleatoire: true,
    publiee: false,
    archivee: false,
    ouvertureAnnoncee: false,
    fermetureAnnoncee: false,
  };
  return Object.assign(new Campagne(), draft, facts);
}

const published = (facts: Partial<Campagne> = {}): Campagne => campagne({ publiee: true, ...facts });

/** All that a publication demands. */
const READY: Circumstances = {
  fermetureDuVoteUtc: CLOSING,
  nombreVotants: 1,
  poidsIdentifiants: [],
  questions: [{ estPreferentiel: false, nombreElus: null, nombreOptions: 2, maxReponses: 1 }],
  octets: 1_000,
  questionsSansOptions: [],
  questionsAvecDoubles: [],
  aDesVotes: false,
  aUneCle: null,
  excesChiffrement: null,
};

function codeOf(work: () => void): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return undefined;
}

describe('Campagne.etat', () => {
  it.each([
    ['one millisecond before the opening', plus(OPENING, -1), 'Planifie'],
    ['at the opening', OPENING, 'VoteOuvert'],
    ['one millisecond after the opening', plus(OPENING, 1), 'VoteOuvert'],
    ['one millisecond before the closing', plus(CLOSING, -1), 'VoteOuvert'],
    ['at the closing', CLOSING, 'Termine'],
    ['one millisecond after the closing', plus(CLOSING, 1), 'Termine'],
  ])('of a published campaign %s is what its dates say', (_when, at, etat) => {
    expect(published().etat(at)).toBe(etat);
  });

  it('goes from Planifie to Termine at once where opening and closing are the same moment', () => {
    const point = published({ fermetureDuVoteUtc: OPENING });
    expect([plus(OPENING, -1), OPENING].map((at) => point.etat(at))).toEqual(['Planifie', 'Termine']);
  });

  it.each([BEFORE, OPENING, DURING, CLOSING, AFTER])('is Brouillon and Archive at any time: %s', (at) => {
    expect(campagne().etat(at)).toBe('Brouillon');
    expect(campagne({ archivee: true }).etat(at)).toBe('Archive');
    expect(published({ archivee: true }).etat(at)).toBe('Archive');
  });

  it('does not depend on what has been announced', () => {
    for (const at of [BEFORE, DURING, AFTER]) {
      const announced = published({ ouvertureAnnoncee: true, fermetureAnnoncee: true });
      expect(announced.etat(at)).toBe(published().etat(at));
    }
  });
});

describe('Campagne.fire', () => {
  it('publishes until one millisecond before the closing, and not at it', () => {
    const last = campagne();
    last.fire('publier', READY, plus(CLOSING, -1));
    expect(last.etat(plus(CLOSING, -1))).toBe('VoteOuvert');
    for (const at of [CLOSING, plus(CLOSING, 1)]) {
      const late = campagne();
      expect(codeOf(() => late.fire('publier', READY, at))).toBe('Campagne.TransitionNonPermise');
      expect(late.publiee).toBe(false);
    }
  });

  it('opens until one millisecond before the opening, and not at it', () => {
    const at = plus(OPENING, -1);
    const last = published();
    last.fire('ouvrir', READY, at);
    expect([last.ouvertureDuVoteUtc, last.fermetureDuVoteUtc, last.etat(at)]).toEqual([
      ...[at, CLOSING, 'VoteOuvert'],
    ]);
    expect(codeOf(() => published().fire('ouvrir', READY, OPENING))).toBe('Campagne.TransitionNonPermise');
  });

  it('closes from the opening until one millisecond before the closing', () => {
    for (const at of [OPENING, plus(CLOSING, -1)]) {
      const open = published();
      open.fire('fermer', READY, at);
      expect([open.ouvertureDuVoteUtc, open.fermetureDuVoteUtc, open.etat(at)]).toEqual([
        ...[OPENING, at, 'Termine'],
      ]);
    }
    for (const at of [plus(OPENING, -1), CLOSING]) {
      expect(codeOf(() => published().fire('fermer', READY, at))).toBe('Campagne.TransitionNonPermise');
    }
  });

  it('archives a published campaign from its closing on', () => {
    const ended = published();
    ended.fire('archiver', READY, CLOSING);
    expect(ended.etat(CLOSING)).toBe('Archive');
    expect(codeOf(() => published().fire('archiver', READY, plus(CLOSING, -1)))).toBe(
      'Campagne.TransitionNonPermise',
    );
  });

  it('unpublishes until one millisecond before the closing', () => {
    const open = published();
    open.fire('depublier', READY, plus(CLOSING, -1));
    expect(open.etat(plus(CLOSING, -1))).toBe('Brouillon');
    expect(codeOf(() => published().fire('depublier', READY, CLOSING))).toBe('Campagne.TransitionNonPermise');
  });

  it('publishes texts of 2 MiB, and refuses one more byte with the size, the limit and what to do', () => {
    const most = 2 * 1_024 * 1_024;
    campagne().fire('publier', { ...READY, octets: most }, DURING);
    const publish = (): void => campagne().fire('publier', { ...READY, octets: most + 1 }, DURING);
    expect(codeOf(publish)).toBe('Campagne.TropVolumineuse');
    expect(publish).toThrow(/2097153 bytes.*2097152.*Shorten them/);
  });

  it('changes nothing where it is refused', () => {
    const at = DURING;
    for (const circumstances of [
      { ...READY, questions: [] },
      { ...READY, questionsSansOptions: ['Qui ?'] },
      { ...READY, nombreVotants: 0 },
    ]) {
      const draft = campagne();
      expect(codeOf(() => draft.fire('publier', circumstances, at))).toBeDefined();
      expect(draft).toEqual(campagne());
    }
    const open = published();
    expect(codeOf(() => open.fire('depublier', { ...READY, aDesVotes: true }, at))).toBe(
      'Campagne.DepublierAvecVotes',
    );
    expect(open).toEqual(published());
  });
});

describe('Campagne.replaceWith', () => {
  const content = (overrides: Partial<CampagneContent> = {}): CampagneContent => ({
    titre: 'Vote',
    slug: 'vote',
    ouvertureDuVoteUtc: new Date(OPENING),
    fermetureDuVoteUtc: new Date(CLOSING),
    textePageAccueil: '<p>Bienvenue</p>',
    libelleAbstention: 'Je m’abstiens',
    ordreReponsesAleatoire: true,
    ...overrides,
  });

  it('gives absent optional properties their defaults', () => {
    const draft = campagne();
    draft.replaceWith(
      content({ textePageAccueil: null, libelleAbstention: undefined, ordreReponsesAleatoire: undefined }),
      BEFORE,
    );
    expect([draft.textePageAccueil, draft.libelleAbstention, draft.ordreReponsesAleatoire]).toEqual([
      ...[null, null, false],
    ]);
  });

  it('takes an opening at the closing, and refuses one a millisecond later, whatever the state', () => {
    for (const make of [campagne, published]) {
      const same = make();
      same.replaceWith(content({ ouvertureDuVoteUtc: CLOSING }), BEFORE);
      expect(same.ouvertureDuVoteUtc).toEqual(CLOSING);
    }
    for (const target of [campagne(), published(), published({ archivee: true })]) {
      expect(
        codeOf(() => target.replaceWith(content({ ouvertureDuVoteUtc: plus(CLOSING, 1) }), DURING)),
      ).toBe('Campagne.OuvertureVoteApresFermeture');
    }
  });

  it('gives a scheduled campaign a closing one millisecond ahead, and none that has come', () => {
    const at = BEFORE;
    const dates = (closing: Date): CampagneContent =>
      content({ ouvertureDuVoteUtc: plus(at, -1_000), fermetureDuVoteUtc: closing });
    const ahead = published();
    ahead.replaceWith(dates(plus(at, 1)), at);
    expect(ahead.etat(at)).toBe('VoteOuvert');
    for (const closing of [at, plus(at, -1)]) {
      const target = published();
      expect(codeOf(() => target.replaceWith(dates(closing), at))).toBe('Campagne.ModificationNonPermise');
      expect(target).toEqual(published());
    }
  });

  it('gives an open campaign the same or a later closing, and none a millisecond earlier', () => {
    for (const ms of [0, 1, 86_400_000]) {
      const open = published();
      open.replaceWith(content({ fermetureDuVoteUtc: plus(CLOSING, ms) }), DURING);
      expect(open.fermetureDuVoteUtc).toEqual(plus(CLOSING, ms));
    }
    const open = published();
    const earlier = content({ fermetureDuVoteUtc: plus(CLOSING, -1) });
    expect(codeOf(() => open.replaceWith(earlier, DURING))).toBe('Campagne.ModificationNonPermise');
  });
});

describe('Campagne.assertOpenRoll and assertTakesBallots', () => {
  it.each<[name: string, one: Campagne, at: Date, isRollOpen: boolean, takesBallots: boolean]>([
    ['a draft, whatever its dates', campagne(), AFTER, true, false],
    ['a published one before its opening', published(), BEFORE, true, false],
    ['at its opening', published(), OPENING, true, true],
    ['a millisecond before its closing', published(), plus(CLOSING, -1), true, true],
    ['at its closing', published(), CLOSING, false, false],
    ['with a closed ballot box', published({ urneClose: true }), DURING, false, false],
    ['an archived one', campagne({ archivee: true }), BEFORE, false, false],
  ])('%s', (_name, one, at, isRollOpen, takesBallots) => {
    expect([codeOf(() => one.assertOpenRoll(at)), codeOf(() => one.assertTakesBallots(at))]).toEqual([
      isRollOpen ? undefined : 'Campagne.ModificationNonPermise',
      takesBallots ? undefined : 'Vote.CampagneNonOuverte',
    ]);
  });
});

describe('Campagne.takeDueEvents', () => {
  it('answers the opening from its millisecond on, then the closing, each once', () => {
    const watched = published();
    const told = [plus(OPENING, -1), OPENING, OPENING, plus(CLOSING, -1), CLOSING, AFTER].map((at) =>
      watched.takeDueEvents(at),
    );
    expect(told).toEqual([[], [CAMPAGNE_EVENTS.ouverte], [], [], [CAMPAGNE_EVENTS.terminee], []]);
  });

  it('answers both in their order where the whole window has passed, and then nothing', () => {
    const watched = published();
    expect(watched.takeDueEvents(AFTER)).toEqual([CAMPAGNE_EVENTS.ouverte, CAMPAGNE_EVENTS.terminee]);
    expect(watched.takeDueEvents(AFTER)).toEqual([]);
  });

  it('answers nothing of a draft, archived or not', () => {
    expect(campagne().takeDueEvents(AFTER)).toEqual([]);
    expect(campagne({ archivee: true }).takeDueEvents(AFTER)).toEqual([]);
  });

  it('answers a second opening of a campaign that was unpublished and published again', () => {
    const watched = published();
    expect(watched.takeDueEvents(DURING)).toEqual([CAMPAGNE_EVENTS.ouverte]);
    watched.fire('depublier', READY, DURING);
    expect(watched.takeDueEvents(DURING)).toEqual([]);
    watched.fire('publier', READY, DURING);
    expect(watched.takeDueEvents(DURING)).toEqual([CAMPAGNE_EVENTS.ouverte]);
  });

  it('answers each event exactly once, whenever it is asked', () => {
    const span = 100;
    const asked = fc.array(fc.nat(span), { maxLength: 20 });
    fc.assert(
      fc.property(fc.nat(span), fc.nat(span), asked, (opening, length, moments) => {
        const watched = published({
          ouvertureDuVoteUtc: plus(OPENING, opening),
          fermetureDuVoteUtc: plus(OPENING, opening + length),
        });
        const inOrder = [...moments].sort((one, other) => one - other);
        const told = inOrder.flatMap((ms) => watched.takeDueEvents(plus(OPENING, ms)));
        const last = inOrder.at(-1) ?? -1;
        expect(told).toEqual([
          ...(last >= opening ? [CAMPAGNE_EVENTS.ouverte] : []),
          ...(last >= opening + length ? [CAMPAGNE_EVENTS.terminee] : []),
        ]);
      }),
    );
  });
});
