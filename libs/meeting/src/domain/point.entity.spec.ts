import { DomainError } from '#platform/errors/domain-error';
import { Point } from './point.entity';
import type { Majorite, PointRecord, ResultatRecord } from './point.fields';
import { resultatOf } from './resultat';

const point = (record: Partial<PointRecord> = {}): Point =>
  Point.of('tenant', 'seance', { titre: 'T', ordre: 1, votable: true, ...record });

/** Code of the error that a rule throws, with the pointers of its faults. */
function refusal(rule: () => unknown): unknown[] {
  try {
    rule();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    const { code, members } = error as DomainError;
    return [code, ...(members.errors ?? []).map(({ pointer }) => pointer)];
  }
  return [];
}

describe('Point.of', () => {
  it('a votable point is secret and simple unless the record says otherwise', () => {
    expect(point()).toMatchObject({ votable: true, typeVote: 'secret', majorite: 'simple' });
    expect(point({ typeVote: null, majorite: null })).toMatchObject({
      typeVote: 'secret',
      majorite: 'simple',
    });
    const said = { typeVote: 'nominal', majorite: 'deuxTiers' } as const;
    expect(point(said)).toMatchObject(said);
  });

  it('type and majority are null if the point has no vote', () => {
    const silent = { votable: false };
    const expected = { tenantId: 'tenant', seanceId: 'seance', titre: 'T', ordre: 1 };
    expect(point({ ...silent, typeVote: null })).toMatchObject({
      ...expected,
      ...{ votable: false, typeVote: null, majorite: null },
    });
    expect(refusal(() => point({ ...silent, majorite: 'simple' }))).toEqual([
      'Requete.Invalide',
      '/majorite',
    ]);
    expect(refusal(() => point({ ...silent, typeVote: 'secret', majorite: 'simple' }))).toEqual([
      'Requete.Invalide',
      '/typeVote',
      '/majorite',
    ]);
  });
});

describe('Point.record', () => {
  const recorded = (majorite: Majorite, resultat: ResultatRecord): Point => {
    const one = point({ majorite });
    one.record(resultatOf(resultat));
    return one;
  };

  it.each<[majorite: Majorite, pour: number, contre: number, abstentions: number, adopte: boolean]>([
    ['simple', 6, 5, 9, true],
    ['simple', 5, 5, 0, false],
    ['absolue', 6, 4, 1, true],
    ['absolue', 5, 4, 1, false],
    ['deuxTiers', 2, 1, 9, true],
    ['deuxTiers', 3, 2, 0, false],
    ['simple', 0, 0, 9, false],
  ])('%s: %d for, %d against, %d abstaining: adopted %s', (majorite, pour, contre, abstentions, adopte) => {
    expect(recorded(majorite, { pour, contre, abstentions })).toMatchObject({
      ...{ pour, contre, abstentions, adopte },
      ...{ poidsPour: `${pour}`, poidsContre: `${contre}`, poidsAbstentions: `${abstentions}` },
    });
  });

  it('goes by exact weights, where sums of floating-point numbers are wrong', () => {
    const votes = { pour: 9, contre: 1, abstentions: 9 };
    const half = { ...votes, poidsPour: '4.2', poidsContre: '0.1', poidsAbstentions: '4.1' };
    expect(recorded('absolue', half).adopte).toBe(false);
    expect(recorded('deuxTiers', { ...votes, poidsPour: '0.2', poidsContre: '0.1' }).adopte).toBe(true);
  });

  it('goes by weight, where more persons are against', () => {
    const heavy = { pour: 1, contre: 100, abstentions: 0 };
    expect(recorded('simple', { ...heavy, poidsPour: '100.0001' }).adopte).toBe(true);
    expect(recorded('simple', { ...heavy, poidsPour: '100.0000' }).adopte).toBe(false);
  });

  it('replaces the whole result and its verdict', () => {
    const one = recorded('simple', { pour: 2, contre: 1, abstentions: 5, poidsPour: '2.5' });
    const next = resultatOf({ pour: 1, contre: 3, abstentions: 0 });
    one.record(next);
    expect(one).toMatchObject({ ...next, adopte: false });
  });

  it('a point without a vote refuses a result', () => {
    const one = point({ votable: false });
    const resultat = resultatOf({ pour: 1, contre: 0, abstentions: 0 });
    expect(refusal(() => one.record(resultat))).toEqual(['Point.NonVotable']);
    expect(one.pour).toBeUndefined();
  });
});
