import { bytesOf, millisecondsOf } from './load';
import { waitsDuring } from './memory';
import type { Work } from './work';
import type { Tenant, World } from './world';

export const CARDS = 100_000;
const EMPLOYEES = 40_000;
/** The union of most cards. */
export const SYNDICAT = 'SYN-0';

/**
 * Rows like those of years of signing: three in five of one union, one in four paid, half with a handwritten signature.
 */
export function cardsTenant(world: World): Promise<Tenant> {
  return world.readTenant(`${CARDS.toLocaleString('en')} cards`, async ({ id }) => {
    const { database } = world;
    await database.query(
      `INSERT INTO syndicat (tenant_id, id_externe, nom) SELECT $1, 'SYN-' || n, 'Syndicat' FROM generate_series(0, 49) n`,
      [id],
    );
    await database.query(
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom, courriel)
       SELECT $1, 'E-' || n, 'Marie-Ève', 'Tremblay', 'm.tremblay@example.org' FROM generate_series(0, $2::int - 1) n`,
      [id, EMPLOYEES],
    );
    await database.query(
      `INSERT INTO adhesion (tenant_id, id_externe_employe, employe_id_unique, syndicat_id_externe, prenom, nom, courriel,
         telephone_principal, ville, province, date_signature, a_signature_manuscrite, avec_paiement, valeurs_champ)
       SELECT $1, 'E-' || n % $3, uuidv7(), 'SYN-' || CASE WHEN n % 5 < 3 THEN 0 ELSE n % 50 END, 'Marie-Ève', 'Tremblay',
         'm.tremblay@example.org', '418 555-0142', 'Trois-Rivières', 'QC',
         timestamptz '2024-01-01Z' + n * interval '15 minutes', n % 2 = 0, n % 4 = 0,
         '[{"type":"choix","nom":"Quart de travail","idExterneChoix":"NUIT"}]'
       FROM generate_series(0, $2::int - 1) n`,
      [id, CARDS, EMPLOYEES],
    );
    await database.query('VACUUM ANALYZE adhesion');
    await database.query('VACUUM ANALYZE employe');
  });
}

/** Reads lists of all cards, one after the other, and measures the waits of other requests meanwhile. */
export const CARD_LISTS: readonly Work[] = ['v2', 'v1'].map((version) => ({
  name: `cards-list-${version}`,
  measure: async (world, { rounds }) => {
    const { key } = await cardsTenant(world);
    const work = `list of ${CARDS.toLocaleString('en')} cards, ${version.toUpperCase()}, one process`;
    const path = `/b2b/${version}/adhesion`;
    const request = bytesOf({ method: 'GET', path, headers: { 'X-Api-Key': key } });
    const list = (port: number) => (): Promise<number> => millisecondsOf(port, request);
    return waitsDuring(world, work, rounds, (port) => Promise.resolve(list(port)));
  },
}));
