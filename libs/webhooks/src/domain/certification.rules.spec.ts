import {
  type CertificationState,
  MOST_REQUESTS,
  observationOf,
  type Observed,
  RULES,
  verdictOf,
} from './certification.rules';
import { SCENARIOS } from './certification.types';

const answer = (statut: number | null, facts: Partial<Observed> = {}): Observed => ({
  ...{ statut, reponse: '', dureeMs: 12 },
  ...facts,
});
const isGood = (nom: (typeof SCENARIOS)[number], ...answers: Observed[]): boolean =>
  observationOf(nom, answers, 5_000).reussi;

describe('observationOf', () => {
  it.each([
    [199, false, false],
    [200, true, false],
    [299, true, false],
    [301, false, false],
    [399, false, false],
    [400, false, true],
    [499, false, true],
    [500, false, false],
    [null, false, false],
  ])('status %s: accepted %s, rejected %s', (statut, isAccepted, isRejected) => {
    expect(isGood('valide', answer(statut))).toBe(isAccepted);
    expect(isGood('mauvaisSecret', answer(statut))).toBe(isRejected);
  });

  it('counts the time of `reponseLente` only', () => {
    const slow = answer(204, { dureeMs: 5_001 });
    expect([isGood('reponseLente', slow), isGood('valide', slow)]).toEqual([false, true]);
    expect(isGood('reponseLente', answer(204, { dureeMs: 5_000 }))).toBe(true);
  });

  it('shows the first wrong answer, with the start of its response', () => {
    const answers = [
      answer(204),
      answer(500, { reponse: 'é'.repeat(300) }),
      answer(null, { reponse: 'No answer.' }),
    ];
    expect(observationOf('desordre', answers, 5_000)).toEqual({
      ...{ nom: 'desordre', reussi: false },
      observe: `request 2 of 3: HTTP 500 after 12 ms: ${'é'.repeat(200)}`,
    });
    expect(observationOf('valide', answers.slice(2), 5_000).observe).toBe('No answer.');
    expect(observationOf('doublon', [answer(204), answer(202, { reponse: 'ok' })], 5_000)).toEqual({
      ...{ nom: 'doublon', reussi: true, observe: 'HTTP 202 after 12 ms' },
    });
  });
});

describe('verdictOf', () => {
  const END = new Date('2026-03-02T14:05:11.480Z');
  const defisOf = (nom: string): string[] => (nom === 'desordre' ? ['d1', 'd2', 'd3'] : [nom]);
  const PROOFS = SCENARIOS.filter((nom) => RULES[nom].accepts).flatMap(defisOf);
  const passed = (facts: Partial<CertificationState> = {}): CertificationState => ({
    observations: SCENARIOS.map((nom) => ({ nom, reussi: true, observe: 'HTTP 204 after 12 ms' })),
    ...{ traites: null, dateFin: END, raison: null },
    ...facts,
  });
  const levels = (facts: Partial<CertificationState>) => {
    const { verdict, niveaux } = verdictOf(passed(facts), defisOf);
    return [verdict, niveaux.transport, niveaux.traitement];
  };

  it('without proofs is that of the answers', () => {
    expect(levels({})).toEqual(['Reussi', 'Reussi', null]);
    const [first, ...others] = passed().observations;
    expect(levels({ observations: [{ ...first!, reussi: false }, ...others] })).toEqual([
      'Echoue',
      'Echoue',
      null,
    ]);
  });

  it('is null while it runs, also with proofs', () => {
    expect(levels({ dateFin: null, traites: PROOFS })).toEqual([null, null, null]);
  });

  it.each<[string, string[], string, string]>([
    ['each accepted event once', PROOFS, 'Reussi', 'Reussi'],
    ['no event', [], 'Echoue', 'Echoue'],
    ['one less', PROOFS.slice(1), 'Echoue', 'Echoue'],
    ['one twice', [...PROOFS, PROOFS[0]!], 'Echoue', 'Echoue'],
    ['a rejected one', [...PROOFS, 'corpsAltere'], 'Echoue', 'Echoue'],
  ])('with proofs of %s', (_what, traites, verdict, traitement) => {
    expect(levels({ traites })).toEqual([verdict, 'Reussi', traitement]);
  });

  it('has failed if it ended early, and names no result of scenarios that were not sent', () => {
    const { observations } = passed();
    const early = {
      observations: observations.slice(0, 1),
      raison: 'The endpoint was deleted.',
      traites: ['valide'],
    };
    expect(levels(early)).toEqual(['Echoue', 'Echoue', 'Echoue']);
    const { scenarios } = verdictOf(passed(early), defisOf);
    expect(scenarios.map(({ resultat }) => resultat)).toEqual(['Reussi', ...Array<null>(12).fill(null)]);
  });
});

it('one certification, and an interrupted scenario of each kind, need at most 60 requests', () => {
  const requests = SCENARIOS.map((nom) => RULES[nom].requests);
  const total = requests.reduce((sum, one) => sum + one, 0);
  expect(total).toBe(27);
  expect(total * 2).toBeLessThanOrEqual(MOST_REQUESTS);
});
