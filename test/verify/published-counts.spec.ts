import { bundleOf } from './support/bundle';
import { COUNTS, publishedVote } from './support/published';
import { run } from './support/verifier';

describe('the verifier recounts published counts', () => {
  it('at least 27 counts', () => expect(COUNTS.length).toBeGreaterThanOrEqual(27));

  it.each(COUNTS)('%s', (name, published) => {
    const { spec, fault } = publishedVote(name, published);
    expect(fault).toBeUndefined();
    const { tar, jwks } = bundleOf(spec);
    const { status, stdout, stderr } = run({ 'dossier.tar': tar, 'jwks.json': jwks }, [
      ...['dossier.tar', '--cles', 'jwks.json'],
    ]);
    expect([status, stderr, stdout.split('\n').filter((line) => line.includes('expected'))]).toEqual([
      0,
      '',
      [],
    ]);
  });
});
