import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { isPublicUnicast } from '../../libs/webhooks/src/application/address-guard';
import { manifests, type Yaml } from './support/files';

interface Block {
  readonly cidr: string;
  readonly except: readonly string[];
}

const worker = manifests().find(
  ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'mandat-worker',
);
const [webhooks, ...more] = (worker.spec.egress as Yaml[]).filter(({ ports }) => ports[0].port === 443);
const blocks: Block[] = webhooks.to.map(({ ipBlock }: Yaml) => ipBlock);

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, bits] = range.split('/') as [string, string];
    list.addSubnet(network, Number(bits), familyOf(network));
  }
  return list;
}

/** Whether the policy lets a worker connect to the address. */
function policyOf(all: readonly Block[]): (address: string) => boolean {
  const lists = all.map(({ cidr, except }) => ({ inside: listOf([cidr]), excepted: listOf(except) }));
  return (address) => {
    const family = familyOf(address);
    return lists.some(
      ({ inside, excepted }) => inside.check(address, family) && !excepted.check(address, family),
    );
  };
}

const textOf4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
const textOf6 = (value: bigint): string =>
  Array.from({ length: 8 }, (_, part) => ((value >> BigInt(112 - 16 * part)) & 0xffffn).toString(16)).join(
    ':',
  );

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head, tail] = address.split('::').map((half) => (half ? half.split(':') : [])) as [
    string[],
    string[]?,
  ];
  const zeros = Array<string>(tail ? 8 - head.length - tail.length : 0).fill('0');
  return [...head, ...zeros, ...(tail ?? [])].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}

/** The first and the last address of each range, and those beside them. */
function edgesOf(range: string): string[] {
  const [network, bits] = range.split('/') as [string, string];
  const [width, text] = isIPv4(network) ? [32, textOf4] : [128, textOf6];
  const first = numberOf(network);
  const last = first + (1n << BigInt(width - Number(bits))) - 1n;
  return [first - 1n, first, last, last + 1n]
    .filter((one) => one >= 0n && one < 1n << BigInt(width))
    .map((one) => text(one));
}

describe('Addresses that the network policy lets workers connect to', () => {
  const allows = policyOf(blocks);
  const edges = blocks.flatMap(({ cidr, except }) => [cidr, ...except].flatMap(edgesOf));

  it('are those of one rule, for https', () => {
    expect(more).toEqual([]);
    expect(webhooks.ports).toEqual([{ protocol: 'TCP', port: 443 }]);
    expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '2000::/3']);
  });

  it('are those that the worker itself allows, at every edge of a range', () => {
    expect(edges.length).toBeGreaterThan(60);
    expect(edges.filter((address) => allows(address) !== isPublicUnicast(address))).toEqual([]);
  });

  it('are those that the worker itself allows, at random addresses', () => {
    const v4 = fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }).map(textOf4);
    // From the whole range, and from the ranges with most exceptions.
    const v6 = fc
      .oneof(
        fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
        fc.bigInt({ min: 0x2001n << 112n, max: 0x2003n << 112n }),
      )
      .map(textOf6);
    fc.assert(
      fc.property(fc.oneof(v4, v6), (address) => allows(address) === isPublicUnicast(address)),
      { numRuns: 5_000 },
    );
  });

  it.each(blocks.flatMap(({ except }) => except))('differ without the exception of %s', (range) => {
    const others = blocks.map(({ cidr, except }) => ({
      cidr,
      except: except.filter((one) => one !== range),
    }));
    const broken = policyOf(others);
    expect(edges.filter((address) => broken(address) !== isPublicUnicast(address))).not.toEqual([]);
  });
});
