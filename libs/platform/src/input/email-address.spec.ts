import { comparableEntry, comparableForms, sendable } from './email-address';

describe('sendable', () => {
  it.each([
    ['zoe@exemple.org', 'zoe@exemple.org'],
    ['zoe@hôpital.example', 'zoe@xn--hpital-ixa.example'],
    ['zoe@a b', undefined],
  ])('%s → %s', (address, expected) => expect(sendable(address)).toBe(expected));
});

describe('a list of addresses and domains', () => {
  const names = (entry: string, address: string): boolean =>
    comparableForms(address).includes(comparableEntry(entry)!);

  it.each([
    ['Zoe@Autre.org', 'zoe@autre.ORG'],
    ['exemple.org', 'ANA@exemple.org'],
    ['@Exemple.org', 'ana@exemple.org'],
    ['hôpital.example', 'ana@HÔPITAL.example'],
    ['xn--strae-oqa.de', 'bob@straße.de'],
    ['straße.de', 'bob@xn--strae-oqa.de'],
    ['noe\u0308l@exemple.org', 'noël@exemple.org'],
  ])('%s names %s', (entry, address) => expect(names(entry, address)).toBe(true));

  it.each([
    ['strasse.de', 'bob@straße.de'],
    ['bob@strasse.de', 'bob@straße.de'],
    ['οδος.gr', 'bob@οδοσ.gr'],
    ['bob.strasse@exemple.org', 'bob.straße@exemple.org'],
    ['noël@exemple.org', 'NOËL@exemple.org'],
    ['exemple.org', 'ana@mail.exemple.org'],
    ['exemple.org', 'ana@exemple.organic'],
    ['zoe@autre.org', 'a.zoe@autre.org'],
    ['a b', 'ana@a b'],
  ])('%s does not name %s', (entry, address) => expect(names(entry, address)).toBe(false));
});
