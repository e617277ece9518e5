import { Client, type ClientChange } from './client.entity';

const AT = new Date('2026-03-01T12:00:00.000Z');
const DEFAULTS = {
  id: 'client',
  nom: 'Métallos',
  modules: ['vote'],
  resultatsVoteActifVisibles: false,
  seuilAnonymat: 1,
  quotaCourrielsParJour: 5_000,
  adresseDeReponse: null,
  courrielsEssai: [],
  freins: { terminaisonsPourcent: null, champsVidesPourcent: null, minimum: 1, jamaisSupprimer: false },
  limiteParMinute: null,
  contactTechnique: null,
  casUsage: null,
  suspenduLe: null,
  raisonSuspension: null,
  suppressionDemandeeLe: null,
  effaceLe: null,
  reprisLe: null,
  fuseauHoraire: 'America/Toronto',
  cellule: 'principal',
  cellules: {},
  dateCreation: AT,
};
const client = (): Client => Client.create('client', 'principal', { nom: 'Métallos', modules: ['vote'] }, AT);

describe('Client.create', () => {
  it('fills in the defaults of absent properties', () => {
    expect({ ...client() }).toEqual(DEFAULTS);
  });

  it('takes over the properties that are given', () => {
    const wanted = {
      ...{ nom: 'Métallos', modules: [], limiteParMinute: 60, fuseauHoraire: 'Pacific/Auckland' },
      drapeaux: { resultatsVoteActifVisibles: true, seuilAnonymat: 5 },
      organisation: { contactTechnique: 'it@example.org', casUsage: 'Paie' },
    };
    expect({ ...Client.create('client', 'principal', wanted, AT) }).toEqual({
      ...DEFAULTS,
      ...{ modules: [], limiteParMinute: 60, fuseauHoraire: 'Pacific/Auckland' },
      ...wanted.drapeaux,
      ...wanted.organisation,
    });
  });
});

describe('Client.change', () => {
  it.each<[ClientChange, object]>([
    [{}, {}],
    [{ nom: 'Mineurs' }, { nom: 'Mineurs' }],
    [{ modules: [] }, { modules: [] }],
    [{ nom: null, modules: null, fuseauHoraire: undefined, drapeaux: null, organisation: null }, {}],
    [{ drapeaux: { seuilAnonymat: 5 } }, { seuilAnonymat: 5 }],
    [{ quotaCourrielsParJour: 0 }, { quotaCourrielsParJour: 0 }],
    [{ quotaCourrielsParJour: null }, {}],
    [{ adresseDeReponse: 'bureau@example.org' }, { adresseDeReponse: 'bureau@example.org' }],
    [{ courrielsEssai: ['example.org'] }, { courrielsEssai: ['example.org'] }],
    [{ courrielsEssai: null }, {}],
    [{ drapeaux: { resultatsVoteActifVisibles: true } }, { resultatsVoteActifVisibles: true }],
    [{ organisation: { casUsage: 'Paie' } }, { casUsage: 'Paie' }],
    [{ freins: null }, {}],
    [{ freins: { minimum: null, jamaisSupprimer: null } }, {}],
    [
      { freins: { terminaisonsPourcent: 5, minimum: 20 } },
      { freins: { ...DEFAULTS.freins, terminaisonsPourcent: 5, minimum: 20 } },
    ],
  ])('%j changes %j and nothing else', (change, changed) => {
    const one = client();
    one.change(change);
    expect({ ...one }).toEqual({ ...DEFAULTS, ...changed });
  });

  it('null clears the limit, the reply address and the texts of the organisation', () => {
    const one = client();
    const organisation = { contactTechnique: 'it', casUsage: 'Paie' };
    one.change({ limiteParMinute: 60, adresseDeReponse: 'bureau@example.org', organisation });
    const none = { contactTechnique: null, casUsage: null };
    one.change({ limiteParMinute: null, adresseDeReponse: null, organisation: none });
    expect({ ...one }).toEqual(DEFAULTS);
  });
});

describe('Client.suspend and Client.resume', () => {
  const LATER = new Date(AT.getTime() + 1);

  it('keeps the date of the first suspension and takes the last reason', () => {
    const suspended = client();
    suspended.suspend('Impayé', AT);
    suspended.suspend('Résilié', LATER);
    expect(suspended).toMatchObject({ suspenduLe: AT, raisonSuspension: 'Résilié', reprisLe: null });
  });

  it('ends a suspension once, and does nothing without one', () => {
    const resumed = client();
    expect([resumed.resume(AT), { ...resumed }]).toEqual([false, DEFAULTS]);
    resumed.suspend('Impayé', AT);
    expect([resumed.resume(LATER), resumed.resume(AT)]).toEqual([true, false]);
    expect({ ...resumed }).toEqual({ ...DEFAULTS, reprisLe: LATER });
  });
});
