import { BOUND, CHEATS, type Cheat, lenient, transcriptWithout, VOTE, VOTER } from './support/cheats';
import {
  type CheckName,
  CHECKS,
  checker,
  checkerOf,
  type Failure,
  libsodium,
  noble,
  transcriptOf,
} from './support/package';

const ALL = Object.keys(CHECKS) as CheckName[];

/** Checks a cheat that knows the weaker protocol, by that protocol. */
function checkWith(
  cheat: Cheat,
  { without = [], unbound = [], lenient: isLenient }: Cheat['accepted'],
): Failure | undefined {
  const transcript = transcriptWithout(...unbound);
  const names = ALL.filter((name) => !without.includes(name));
  return checkerOf(isLenient ? lenient : noble, cheat.scrutin ?? VOTE.scrutin, names, transcript).check(
    cheat.voter ?? VOTER,
    cheat.make(transcript),
  );
}

/** All weaker protocols that lack one weakness less. */
function stronger({ without = [], unbound = [] }: Cheat['accepted']): Cheat['accepted'][] {
  return [
    ...without.map((name) => ({ without: without.filter((other) => other !== name), unbound })),
    ...unbound.map((name) => ({ without, unbound: unbound.filter((other) => other !== name) })),
  ];
}

describe('a cheating prover', () => {
  it.each(CHEATS)('$name: refused with both libraries', async (cheat) => {
    const ballot = cheat.make(transcriptOf);
    for (const group of [noble, await libsodium()]) {
      const failure = checker(group as typeof noble, cheat.scrutin ?? VOTE.scrutin).check(
        cheat.voter ?? VOTER,
        ballot,
      );
      expect(failure).toEqual(cheat.refused);
    }
  });

  it.each(CHEATS)('$name: accepted without what refuses it, and not with less', (cheat) => {
    expect(checkWith(cheat, cheat.accepted)).toBeUndefined();
    for (const protocol of stronger(cheat.accepted)) expect(checkWith(cheat, protocol)).toBeDefined();
  });

  it('has a cheat for each check and each bound thing', () => {
    const accepted = CHEATS.map((cheat) => cheat.accepted);
    // The lenient group stands for the check of points, because a library decodes only canonical ones.
    const checks = accepted.flatMap((one) => [...(one.without ?? []), ...(one.lenient ? ['point'] : [])]);
    expect(new Set(checks)).toEqual(new Set(ALL));
    expect(new Set(accepted.flatMap((one) => one.unbound ?? []))).toEqual(new Set(BOUND));
  });
});
