import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from 'pg';
import {
  composeIdentifiers,
  type FoundIdentifier,
  migrateUp,
} from '../../libs/platform/src/database/migrate';
import { type OpenTenant, openTenant, signed } from '../adhesion/support/cards';
import { synced } from '../membership/synced';
import { perFile } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { employee, employer, job, membership, union } from '../sync/support';
import { Campaigns } from '../voting/support/campaigns';
import { ballot, Votes } from '../voting/support/votes';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');
const MIGRATION = '1764000049880';

/** Identifiers of every kind, composed as each request is. All other texts are ASCII. */
const ID = {
  employe: 'E-Zoé',
  former: 'E-René',
  unknown: 'E-Chloé',
  employeur: 'EMP-Hôtel',
  syndicat: 'SYN-Québec',
  objet: 'Infolettre-été',
  champ: 'Métier',
  choix: 'École',
  emploi: 'Été',
  votant: 'V-Éloi',
};
/** Two orders of the same marks. */
const SAME = ['EMP-e\u0302\u0323', 'EMP-e\u0323\u0302'] as const;
const path = (id: string): string => encodeURIComponent(id);
/** A text in the form of a release that kept it as sent. */
const decomposed = (id: string): string => id.normalize('NFD');

/** Every column of an identifier, and the data of events. */
const COLUMNS = [
  ...['adhesion.id_externe_employe', 'adhesion.syndicat_id_externe', 'ancien_employe.id_externe'],
  ...['bulletin.employeur_identifiant_externe', 'bulletin.syndicat_id_externe', 'champ_utilisateur.nom'],
  ...[
    'changement.id_externe',
    'changement.id_externe_employe',
    'choix_champ.id_externe',
    'choix_champ.nom_champ',
  ],
  ...[
    'consentement.id_externe_employe',
    'consentement.id_externe_objet',
    'consentement_demande.id_externe_objet',
  ],
  ...['demande_adhesion.employe_id_externe_envoye', 'demande_adhesion.id_externe_employe'],
  ...['demande_adhesion.syndicat_id_externe', 'emploi.id_externe_employe', 'emploi.identifiant_externe'],
  ...['emploi.identifiant_externe_employeur', 'employe.id_externe', 'employe.identifiant_externe_employeur'],
  'employe.json_identite',
  ...[
    'employeur.id_externe',
    'employeur.json_identite',
    'evenement.data',
    'formulaire.syndicat_id_externe',
    'formulaire_champ.nom_champ',
  ],
  ...['formulaire_objet.id_externe_objet', 'liste_electorale.employes', 'liste_electorale.employeurs'],
  ...['liste_electorale.syndicats', 'membership.id_externe_employe', 'membership.syndicat_id_externe'],
  ...['objet_consentement.id_externe', 'seance.syndicat_id_externe', 'syndicat.id_externe'],
  ...['syndicat_employeur.id_externe_syndicat', 'syndicat_employeur.identifiant_externe_employeur'],
  ...[
    'valeur_champ_employe.id_externe_choix',
    'valeur_champ_employe.id_externe_employe',
    'valeur_champ_employe.nom_champ',
  ],
  ...[
    'votant.employe_id_externe',
    'votant.employeur_identifiant_externe',
    'votant.identifiant',
    'votant.syndicat_id_externe',
    'votant_ecarte.employe_id_externe',
  ],
];

type Row = Record<string, unknown>;

const app = perFile(() => TestApp.own('sees all tenants'));

/** Data space with identifiers in every column that has them. */
class Space {
  private constructor(
    readonly open: OpenTenant,
    readonly campaigns: Campaigns,
    readonly votes: Votes,
  ) {}

  /** An open vote in which the voter of the roll has voted, one without votes, and a draft. */
  voted = '';
  quiet = '';
  draft = '';

  static async make(): Promise<Space> {
    const open = await openTenant(app);
    const campaigns = new Campaigns(app, open.partenaire);
    const space = new Space(open, campaigns, await Votes.of(app, campaigns));
    await space.fill();
    return space;
  }

  get tenantId(): string {
    return this.open.tenantId;
  }

  async send(method: string, rest: string, body?: object): Promise<Answer> {
    const answer = await app.send(this.open.partenaire, method, rest, body);
    if (answer.status >= 300) throw new Error(`${method} ${rest}: ${answer.text}`);
    return answer;
  }

  private async fill(): Promise<void> {
    await this.send('POST', '/b2b/v2/champ-utilisateur', {
      nom: ID.champ,
      type: 'choix',
      choix: [{ idExterne: ID.choix, libelle: 'Ecole' }],
    });
    const member = (id: string, held: string): object =>
      employee(id, {
        ...{ Prenom: 'Zoe', Nom: 'Roy' },
        Emplois: [job(held, ID.employeur, { Matricule: 'M-1' })],
        Adhesions: [membership(ID.syndicat)],
        ValeursChampUtilisateur: [{ NomChamp: ID.champ, Valeur: ID.choix }],
      });
    await synced(app, this.open.partenaire, {
      Syndicats: [union(ID.syndicat, [employer(ID.employeur, { Nom: 'Hotel' })], { Nom: 'Quebec' })],
      ObjetsConsentement: [{ IdExterne: ID.objet, Nom: 'Infolettre' }],
      Employes: [
        member(ID.employe, ID.emploi),
        member(ID.former, 'EMPLOI-1'),
        ...['E-1', 'E-2'].map((id) => employee(id, { Prenom: 'Luc', Nom: 'Roy' })),
      ],
    });
    await this.send('DELETE', `/b2b/v1/employe/${path(ID.former)}`);
    await this.send('POST', '/b2b/v2/formulaire', {
      ...{ titre: 'Carte', syndicatIdExterne: ID.syndicat },
      ...{ champs: [ID.champ], objetsConsentement: [ID.objet] },
    });
    const card = { prenom: 'Zoe', nom: 'Roy', syndicatIdExterne: ID.syndicat };
    const consentements = [{ objetConsentementIdExterne: ID.objet, accepte: true }];
    const sign = (employeIdExterne?: string): Promise<Answer> =>
      signed(app, this.open.plateforme, { ...card, employeIdExterne, consentements });
    await sign(ID.employe);
    await sign(ID.unknown);
    const { json } = await sign();
    await this.send('POST', `/b2b/v2/conciliation/${json.demandeId}/confirmer`, { idExterne: ID.employe });
    // Releases from before employments wrote it.
    await app.database.query(
      `UPDATE employe SET identifiant_externe_employeur = $2 WHERE tenant_id = $1 AND id_externe = 'E-1'`,
      [this.tenantId, ID.employeur],
    );
    await app.database.query(
      `INSERT INTO seance (tenant_id, titre, date, syndicat_id_externe) VALUES ($1, 'Seance', now(), $2)`,
      [this.tenantId, ID.syndicat],
    );
    this.draft = await this.roll();
    const roll = (await this.campaigns.sent('GET', `/${this.draft}/votants`)).json as Record<
      string,
      string
    >[];
    const listed = roll.find(({ EmployeIdExterne }) => EmployeIdExterne === ID.employe)!;
    await this.campaigns.sent('DELETE', `/${this.draft}/votants/${listed.VotantId}`);
    this.quiet = await this.roll();
    await this.publish(this.quiet);
    this.voted = await this.roll();
    const [question] = await this.publish(this.voted);
    const [{ VotantId }] = (await this.campaigns.sent('GET', `/${this.voted}/votants`)).json;
    const { status } = await this.votes.cast(
      this.voted,
      ballot({ id: this.voted, question, voters: [VotantId] }),
    );
    expect(status).toBe(201);
  }

  /** A campaign with a voter of a list and one with an identifier. */
  private async roll(): Promise<string> {
    const id = await this.campaigns.draft();
    await this.campaigns.question(id, { Titre: 'Pour' });
    await this.campaigns.sent('POST', `/${id}/liste-electorale`, {
      SyndicatsIdExternes: [ID.syndicat],
      EmployeursIdentifiantsExternes: [ID.employeur],
      EmployesIdExternes: [ID.employe],
    });
    await this.campaigns.votant(id, { Prenom: 'Eloi', Identifiant: ID.votant });
    return id;
  }

  private async publish(id: string): Promise<Answer['json']> {
    for (const step of ['publier', 'ouvrir']) await this.campaigns.sent('POST', `/${id}/${step}`);
    return (await this.campaigns.sent('GET', `/${id}/questions`)).json;
  }

  /** The rows of each table, as JSON. */
  async rows(): Promise<Record<string, Row[]>> {
    const all: Record<string, Row[]> = {};
    for (const { name } of await textColumns()) {
      const { rows } = await app.database.query<{ row: Row }>(
        `SELECT to_jsonb(t) AS row FROM ${name} t WHERE tenant_id = $1 ORDER BY to_jsonb(t) #>> '{}'`,
        [this.tenantId],
      );
      all[name] = rows.map(({ row }) => row).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    }
    return all;
  }

  /** Decomposes every text of every table, as a release that kept it as sent would have stored it. */
  async decompose(): Promise<void> {
    const { database } = app;
    await database.query('BEGIN; SET LOCAL session_replication_role = replica');
    for (const { name, texts, lists } of await textColumns()) {
      const sets = [
        ...texts.map((column) => `${column} = normalize(${column}, NFD)`),
        ...lists.map((column) => `${column} = normalize(${column}::text, NFD)::text[]`),
      ];
      await database.query(`UPDATE ${name} SET ${sets.join(', ')} WHERE tenant_id = $1`, [this.tenantId]);
    }
    await database.query('COMMIT');
  }
}

/** Tables of data spaces with text, and their columns. */
async function textColumns(): Promise<{ name: string; texts: string[]; lists: string[] }[]> {
  const { rows } = await app.database.query<{ name: string; texts: string[]; lists: string[] }>(
    `SELECT c.relname AS name,
       coalesce(array_agg(a.attname::text) FILTER (WHERE a.atttypid = 'text'::regtype), '{}') AS texts,
       coalesce(array_agg(a.attname::text) FILTER (WHERE a.atttypid = 'text[]'::regtype), '{}') AS lists
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped AND a.attgenerated = ''
       AND a.atttypid IN ('text'::regtype, 'text[]'::regtype)
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relforcerowsecurity
     GROUP BY c.relname ORDER BY 1`,
  );
  return rows;
}

/** Gives the database and all in it to a login that is no superuser. @returns its URL */
async function ownerOf(database: Client, dataUrl: string): Promise<string> {
  const name = `mandat_owner_${randomBytes(8).toString('hex')}`;
  await database.query(`CREATE ROLE ${name} LOGIN CREATEROLE PASSWORD '${name}'`);
  await database.query(
    `GRANT mandat_queue, mandat_app, mandat_access, mandat_urne, mandat_effacement TO ${name} WITH ADMIN OPTION`,
  );
  await database.query(`DO $$ DECLARE o record; BEGIN
    EXECUTE format('ALTER DATABASE %I OWNER TO ${name}', current_database());
    ALTER SCHEMA public OWNER TO ${name};
    FOR o IN SELECT c.oid::regclass AS name FROM pg_class c LEFT JOIN pg_depend d ON d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S'
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S') AND d.objid IS NULL
    LOOP EXECUTE format('ALTER TABLE %s OWNER TO ${name}', o.name); END LOOP;
    FOR o IN SELECT p.oid::regprocedure AS name FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND proowner = CURRENT_USER::regrole
    LOOP EXECUTE format('ALTER FUNCTION %s OWNER TO ${name}', o.name); END LOOP; END $$`);
  const url = new URL(dataUrl);
  Object.assign(url, { username: name, password: name });
  return url.href;
}

describe('The migration of identifiers to NFC', () => {
  let moved: Space;
  let kept: Space;
  let owner: string;
  let data: Client;
  let before: Record<string, Row[]>;
  let collided: Record<string, Row[]>;
  const printed: string[] = [];

  const migrated = async (): Promise<void> => {
    const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
    await migrateUp(
      owner,
      () => Promise.resolve(),
      () => undefined,
    );
    log.mockRestore();
  };
  const command = (...args: string[]): Row[] =>
    execFileSync(process.execPath, [CLI, 'identifiants', ...args], {
      env: { ...process.env, DATABASE_URL: owner, CELLS: '' },
      encoding: 'utf8',
    })
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
  /** Does the same without a process. */
  const again = (): Promise<FoundIdentifier[]> => composeIdentifiers(owner, undefined, () => undefined);
  const ofEmployee = (space: Space, id: string, method = 'GET'): Promise<Answer> =>
    app.send(space.open.partenaire, method, `/b2b/v1/employe/${path(id)}`);

  beforeAll(async () => {
    [moved, kept] = [await Space.make(), await Space.make()];
    data = await app.connect();
    owner = await ownerOf(data, app.dataUrl);
    // The application needs the later ones.
    await data.query('DROP FUNCTION identifiants_composer');
    await data.query('DELETE FROM migration WHERE timestamp = $1', [MIGRATION]);
    // Releases with such identifiers kept neither syncs nor former identifiers.
    await app.database.query('DELETE FROM sync; DELETE FROM ancien_identifiant');
    before = await moved.rows();
    for (const space of [moved, kept]) await space.decompose();
    // Answers of reads before the migration.
    expect((await ofEmployee(moved, ID.employe)).status).toBe(404);
    expect((await ofEmployee(moved, decomposed(ID.employe))).status).toBe(404);
    // A partner sends the same records again, which are others now.
    await synced(app, kept.open.partenaire, {
      Syndicats: [union(ID.syndicat)],
      Employes: [employee(ID.employe, { Nom: 'Jumelle' })],
    });
    await kept.campaigns.votant(kept.draft, { Prenom: 'Jumeau', Identifiant: ID.votant });
    // Both are the same in NFC, and neither is in it.
    for (const id of SAME)
      await app.database.query(
        `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, $2, 'Usine')`,
        [kept.tenantId, id],
      );
    collided = await kept.rows();
    await migrated();
  }, 60_000);
  afterAll(() => data?.end());

  it('composes every identifier with all that refers to it, and leaves ballots and the texts of their voters', async () => {
    const after = await moved.rows();
    const voted = (row: Row): boolean => row.campagne_id === moved.voted;
    const asVoted = (row: Row): Row => ({
      ...row,
      syndicat_id_externe: row.syndicat_id_externe && decomposed(ID.syndicat),
      employeur_identifiant_externe: row.employeur_identifiant_externe && decomposed(ID.employeur),
    });
    for (const [table, rows] of Object.entries(before)) {
      const expected = rows.map((row) =>
        table === 'bulletin' || (table === 'votant' && voted(row)) ? asVoted(row) : row,
      );
      expect({ table, rows: after[table] }).toEqual({ table, rows: expected });
    }
    expect(before.bulletin).toHaveLength(1);
    // Every column that had an identifier was compared, and the bodies of events, which stay.
    const columns = Object.entries(before).flatMap(([table, rows]) =>
      rows.flatMap((row) =>
        Object.keys(row)
          .filter((column) => /[^ -~]/.test(JSON.stringify(row[column])))
          .map((column) => `${table}.${column}`),
      ),
    );
    expect([...new Set(columns)].sort()).toEqual(COLUMNS);
  });

  it('lets requests reach them by both forms', async () => {
    for (const form of [ID.employe, decomposed(ID.employe)]) {
      expect(await ofEmployee(moved, form)).toMatchObject({ status: 200, json: { idExterne: ID.employe } });
    }
    const { json } = await moved.send('GET', `/b2b/v2/adhesion?idExterneEmploye=${path(ID.employe)}`);
    const card = { employeIdExterne: ID.employe, syndicatIdExterne: ID.syndicat };
    expect(json).toMatchObject([card, card]);
  });

  it('leaves what another row has, and all that refers to it, and composes the rest', async () => {
    const after = await kept.rows();
    const of = (table: string, column: string, rows = after): unknown[] =>
      rows[table]!.map((row) => row[column]).sort();
    for (const [table, column] of [
      ['employe', 'id_externe'],
      ['emploi', 'id_externe_employe'],
      ['adhesion', 'id_externe_employe'],
      ['consentement', 'id_externe_employe'],
      ['valeur_champ_employe', 'id_externe_employe'],
      ['votant', 'employe_id_externe'],
      ['membership', 'syndicat_id_externe'],
      ['adhesion', 'syndicat_id_externe'],
      ['formulaire', 'syndicat_id_externe'],
      ['seance', 'syndicat_id_externe'],
      ['syndicat_employeur', 'id_externe_syndicat'],
      ['syndicat', 'id_externe'],
      ['votant', 'syndicat_id_externe'],
      ['liste_electorale', 'employes'],
    ] as const)
      expect({ table, column, values: of(table, column) }).toEqual({
        table,
        column,
        values: of(table, column, collided),
      });
    expect(of('emploi', 'identifiant_externe_employeur')).toEqual([ID.employeur]);
    expect(of('valeur_champ_employe', 'id_externe_choix')).toEqual([ID.choix]);
    const [twin, ...others] = [kept.draft, kept.quiet, kept.voted].map((id) =>
      after.votant!.filter((row) => row.campagne_id === id && row.identifiant).map((row) => row.identifiant),
    );
    expect(twin!.sort()).toEqual([decomposed(ID.votant), ID.votant].sort());
    expect(others).toEqual([[ID.votant], [ID.votant]]);
  });

  it('prints numbers, and the command lists what is left, in escapes', async () => {
    expect(printed.find((line) => line.includes(kept.tenantId))).toMatch(
      /composed to NFC: .*1 Employeur.*; left because another row has them: .*\b1 Votant\b/,
    );
    expect(printed.find((line) => line.includes(moved.tenantId))).toMatch(
      /left because another row has them: none\.$/,
    );
    expect(printed.join('')).toMatch(/^[ -~]+$/);
    const found = command();
    expect(found.every(({ espace }) => espace === kept.tenantId)).toBe(true);
    expect(found).toMatchObject([
      { sorte: 'Employe', portee: '', identifiant: decomposed(ID.employe), compose: null },
      { sorte: 'Employeur', portee: '', identifiant: SAME[0], compose: null },
      { sorte: 'Employeur', portee: '', identifiant: SAME[1], compose: null },
      { sorte: 'Syndicat', portee: '', identifiant: decomposed(ID.syndicat), compose: null },
      { sorte: 'Votant', portee: kept.draft, identifiant: decomposed(ID.votant), compose: null },
    ]);
  });

  it('changes nothing when it runs again, in schema and rows, and feeds no change', async () => {
    const rows = await kept.rows();
    await again();
    expect(await kept.rows()).toEqual(rows);
    expect(rows.changement).toHaveLength(collided.changement!.length);
    const { rows: unforced } = await data.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND NOT relforcerowsecurity
       UNION ALL SELECT conname FROM pg_constraint WHERE contype = 'f' AND condeferrable
         AND connamespace = 'public'::regnamespace AND conname NOT LIKE ALL ('{dossier%,%_employe_fkey}')`,
    );
    expect(unforced).toEqual([]);
  });

  it('moves an identifier once the other row is gone, and with a suffix beside it', async () => {
    await kept.send('DELETE', `/b2b/v1/employe/${path(ID.employe)}`);
    expect(await again()).toContainEqual(
      expect.objectContaining({ sorte: 'Employe', compose: ID.employe }) as unknown,
    );
    expect((await ofEmployee(kept, ID.employe)).json).toMatchObject({ nom: 'Roy' });
    const same = SAME[0].normalize();
    expect(command(kept.tenantId, '-2').map(({ compose }) => compose)).toEqual([
      ...[`${same}-2`, null],
      ...[`${ID.syndicat}-2`, `${ID.votant}-2`],
    ]);
    const { json } = await kept.send('GET', '/b2b/v2/syndicat');
    expect(json.map((one: { identifiantExterne: string }) => one.identifiantExterne)).toEqual(
      expect.arrayContaining([ID.syndicat, `${ID.syndicat}-2`]),
    );
    // Nothing is equal to the other one any more.
    expect((await again()).map(({ compose }) => compose)).toEqual([same]);
    expect(await again()).toEqual([]);
  });

  it('refuses other arguments', () => {
    expect(() => command(randomUUID(), '\u0301')).toThrow('Give a data space and a suffix');
  });
});
