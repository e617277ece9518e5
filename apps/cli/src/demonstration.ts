import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_IDS, type FormulaireRecord, type Signing } from '#adhesion';
import { type ClientsService, EXAMPLE_CLE_ID, EXAMPLE_CLIENT_ID } from '#clients';
import { CHAMP, type ChampRecord } from '#membership';
import { EXAMPLE_COURRIEL_ID } from '#messaging';
import { MODULES } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import type { Config } from '#platform/ops/config';
import { NO_TENANT } from '#platform/database/scope';
import { DomainError } from '#platform/errors/domain-error';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import {
  EXAMPLE_PLAN_IDS,
  EXAMPLE_SYNC_IDS,
  EXAMPLE_TACHE_ID,
  PLAN,
  type PlansService,
  SYNC,
  type TachesService,
} from '#sync';
import {
  EXAMPLE_CERTIFICATION_ID,
  EXAMPLE_LIVRAISON_ID,
  EXAMPLE_WEBHOOK_ID,
  EXAMPLE_WEBHOOK_INACTIF_ID,
  RULES,
  SCENARIOS,
} from '#webhooks';
import { scheduleExamples } from './demonstration-campaigns';
import { conveneExamples } from './demonstration-meetings';
import { type DemonstrationSpace, found } from './demonstration-space';
import { ServiceContext } from './service-context';

/** Keys of the demonstration tenant, by role. */
export interface DemonstrationKeys {
  partenaire: string;
  plateforme: string;
}

const NOM = 'Démonstration';

/** Enough that every "Execute" of Swagger UI finds the record its example names, as V1 and V2 write it. */
const SAMPLE = {
  employeurs: [{ idExterne: 'EMP-300', nom: 'Imprimerie Belles-Feuilles' }],
  objetsConsentement: [
    { idExterne: 'INFOLETTRE', nom: 'Recevoir l’infolettre' },
    { idExterne: 'SONDAGES', nom: 'Répondre à des sondages' },
  ],
  employes: [
    { idExterne: 'E-1005', prenom: 'Anouk', nom: 'Tremblay' },
    { idExterne: 'E-1006', prenom: 'Luc', nom: 'Côté' },
    {
      idExterne: 'E-1004',
      prenom: 'Zoé',
      nom: 'Gagnon',
      courriel: 'zoe.gagnon@example.org',
      identifiantExterneEmployeur: 'EMP-200',
    },
    {
      idExterne: 'E-1003',
      prenom: 'Fatoumata',
      nom: 'Diallo',
      courriel: 'f.diallo@example.org',
      identifiantExterneEmployeur: 'EMP-200',
      ville: 'Montréal',
      province: 'QC',
    },
  ],
};

const CHAMPS: ChampRecord[] = [
  {
    nom: 'Quart de travail',
    type: 'choix',
    choix: [
      { idExterne: 'JOUR', libelle: 'Jour' },
      { idExterne: 'NUIT', libelle: 'Nuit' },
    ],
  },
  { nom: 'Équipement remis', type: 'texte' },
  { nom: 'Formation de sécurité', type: 'date' },
  { nom: 'Délégué syndical', type: 'booleen' },
  { nom: 'Casier', type: 'texte' },
];

const SAMPLE_V2 = {
  Syndicats: [
    {
      IdentifiantExterne: 'SYN-10',
      Nom: 'Syndicat des aciéristes',
      Employeurs: [
        { IdentifiantExterne: 'EMP-100', Nom: 'Aciérie du Saint-Laurent' },
        { IdentifiantExterne: 'EMP-200', Nom: 'Centre de services scolaire de la Rivière' },
      ],
    },
  ],
  Employes: [
    {
      IdExterne: 'E-1001',
      Prenom: 'Marie-Ève',
      Nom: "L'Écuyer",
      Courriel: 'marie-eve.lecuyer@example.org',
      Ville: 'Trois-Rivières',
      Province: 'QC',
      ValeursChampUtilisateur: [
        { NomChamp: 'Quart de travail', Valeur: 'NUIT' },
        { NomChamp: 'Équipement remis', Valeur: 'Casque bleu' },
        { NomChamp: 'Formation de sécurité', Valeur: '2026-01-15' },
        { NomChamp: 'Délégué syndical', Valeur: 'true' },
      ],
      Emplois: [
        {
          IdentifiantExterne: 'EMPLOI-1',
          IdentifiantExterneEmployeur: 'EMP-100',
          Matricule: '20451',
          DateDebut: '2020-03-01',
        },
      ],
      Adhesions: [{ SyndicatIdExterne: 'SYN-10', DateAdhesion: '2021-05-01' }],
    },
    // Two records of one person.
    ...[
      { IdExterne: 'E-1008', Ville: 'Lévis', emploi: 'EMPLOI-8', employeur: 'EMP-100' },
      { IdExterne: 'E-1009', Ville: 'Laval', emploi: 'EMPLOI-9', employeur: 'EMP-200' },
    ].map(({ emploi, employeur, ...one }) => ({
      ...one,
      Prenom: 'Émile',
      Nom: 'Gagnon',
      Emplois: [{ IdentifiantExterne: emploi, IdentifiantExterneEmployeur: employeur, Matricule: '20456' }],
    })),
    {
      IdExterne: 'E-1002',
      Prenom: 'Jean-François',
      Nom: 'Côté',
      Courriel: 'jf.cote@example.org',
      Ville: 'Lévis',
      Province: 'QC',
      Emplois: [
        {
          IdentifiantExterne: 'EMPLOI-1',
          IdentifiantExterneEmployeur: 'EMP-100',
          Matricule: '20452',
          DateDebut: '2019-08-15',
        },
      ],
    },
  ],
};

/** A handwritten "M": 48 × 24 pixels. */
const SIGNATURE = `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADAAAAAYCAAAAACZliEAAAAAd0lEQVR42sWUWQ6AIAwFe4i5/1VxQfBRRcAQ5auhMyRdgoXBY18K6D1tAQRiXKAtyLNrNF/YaDSmJUipPULMc4knCicKT6OwclC4uC5IPwlvBWfE6ZvL6U7g8H4BEp6F270+2it0Eiod3Asq6CxUFs3DPcIPn8AC8iH+1gEwiMgAAAAASUVORK5CYII=`;

/** Cards and requests under the identifiers that the documentation names. */
const SIGNINGS: Readonly<Record<string, Signing>> = {
  [EXAMPLE_IDS.adhesion]: {
    employeIdExterne: 'E-1001',
    syndicatIdExterne: 'SYN-10',
    prenom: 'Marie-Ève',
    nom: "L'Écuyer",
    courriel: 'marie-eve.lecuyer@example.org',
    ville: 'Trois-Rivières',
    province: 'QC',
    noMembre: 'M-204511',
    transactionId: 'TX-2026-000117',
    dateSignature: new Date('2026-02-10T15:20:00.000Z'),
    imageSignature: SIGNATURE,
    formulaireId: EXAMPLE_IDS.formulaire,
    valeursChampUtilisateur: [{ NomChamp: 'Quart de travail', Valeur: 'NUIT' }],
    consentements: [{ objetConsentementIdExterne: 'INFOLETTRE', accepte: true }],
  },
  [EXAMPLE_IDS.adhesionLibre]: {
    employeIdExterne: 'E-1002',
    syndicatIdExterne: 'SYN-10',
    prenom: 'Jean-François',
    nom: 'Côté',
    courriel: 'jf.cote@example.org',
    dateSignature: new Date('2026-02-11T09:05:00.000Z'),
  },
  [EXAMPLE_IDS.adhesionAutre]: {
    employeIdExterne: 'E-1004',
    syndicatIdExterne: 'SYN-10',
    prenom: 'Zoé',
    nom: 'Gagnon',
    courriel: 'zoe.gagnon@example.org',
    dateSignature: new Date('2026-02-12T18:40:00.000Z'),
  },
  [EXAMPLE_IDS.demande]: {
    syndicatIdExterne: 'SYN-10',
    prenom: 'Olivier',
    nom: 'Bouchard',
    courriel: 'olivier.bouchard@example.org',
    ville: 'Chicoutimi',
    province: 'QC',
    imageSignature: SIGNATURE,
    valeursChampUtilisateur: [{ NomChamp: 'Quart de travail', Valeur: 'JOUR' }],
    consentements: [{ objetConsentementIdExterne: 'INFOLETTRE', accepte: false }],
  },
  [EXAMPLE_IDS.demandeDouteuse]: {
    syndicatIdExterne: 'SYN-10',
    prenom: 'Test',
    nom: 'Testeur',
    courriel: 'test@example.org',
  },
};

/** The actor that creates the demonstration's client and keys. */
const STARTER: Actor = { cleId: NO_TENANT, requestId: 'demonstration' };

/**
 * Makes the demonstration tenant at the first start and finds its keys again at later ones. The keys are kept under
 * DATA_DIR, readable by their owner only; in another database, new ones are made.
 */
export async function demonstrationKeys(config: Config): Promise<DemonstrationKeys> {
  const file = join(config.dataDir, 'demonstration.json');
  return ServiceContext.use(config, async (context) => {
    const { clients, syncs, syncsV2, taches, plans, champs, authentication, changements } = context;
    // The worker, which makes them otherwise, starts later. A stop may have been longer than the prepared months.
    await changements.makeMonths();
    if (existsSync(file)) {
      const kept = JSON.parse(readFileSync(file, 'utf8')) as DemonstrationKeys;
      const callerOf = (cle: string) => authentication.authenticate(cle).catch(() => undefined);
      const caller = await callerOf(kept.partenaire);
      if (caller?.tenantId && (await callerOf(kept.plateforme))) {
        await permitExamples(clients, caller.clientId!);
        await makeExampleTask(taches, caller.tenantId);
        await makeExampleSyncs(context, caller.tenantId);
        await makeExamplePlans(plans, caller.tenantId);
        await makeAccident(context, caller.clientId!, caller.tenantId);
        return kept;
      }
    }
    const client =
      (await clients.list()).find(({ nom }) => nom === NOM) ??
      (await clients.create(STARTER, { id: EXAMPLE_CLIENT_ID, nom: NOM, modules: [...MODULES] }));
    await permitExamples(clients, client.id);
    const issue = (role: 'partenaire' | 'plateforme') =>
      clients.issueCle(STARTER, client.id, { nom: `Demonstration, ${role}`, environnement: 'staging', role });
    const partenaire = await issue('partenaire');
    const plateforme = await issue('plateforme');
    // A key to revoke: the example of that operation.
    if ((await clients.listCles(client.id)).every(({ id }) => id !== EXAMPLE_CLE_ID)) {
      await clients.issueCle(STARTER, client.id, {
        id: EXAMPLE_CLE_ID,
        nom: 'To try a revocation',
        environnement: 'staging',
        role: 'partenaire',
      });
    }
    const tenantId = partenaire.tenantId!;
    const actor = { cleId: partenaire.id, requestId: 'demonstration' };
    for (const champ of CHAMPS)
      await champs.create(tenantId, actor, champ).catch(ignoring(CHAMP.NomDejaUtilise));
    await syncsV2.sync(tenantId, actor, SAMPLE_V2, { simulation: false, corps: () => bytesOf(SAMPLE_V2) });
    await syncs.sync(tenantId, actor, SAMPLE, { simulation: false, corps: () => bytesOf(SAMPLE) });
    await makeExampleTask(taches, tenantId);
    await makeExampleSyncs(context, tenantId);
    await makeExamplePlans(plans, tenantId);
    await makeAccident(context, client.id, tenantId);
    const space = { ...context, tenantId, actor, manager: { actor, modules: MODULES } };
    await signExamples(space);
    await registerExamples(space);
    await scheduleExamples(space);
    await conveneExamples(space);
    await writeExample(space);
    const keys = { partenaire: partenaire.cle, plateforme: plateforme.cle };
    mkdirSync(config.dataDir, { recursive: true });
    writeFileSync(file, JSON.stringify(keys, null, 2), { mode: 0o600 });
    return keys;
  });
}

/** Permits e-mail to example.org, which receives nothing, unless the client has a list. */
async function permitExamples(clients: ClientsService, clientId: string): Promise<void> {
  const { courrielsEssai } = await clients.get(clientId);
  if (courrielsEssai.length === 0)
    await clients.update(STARTER, clientId, { courrielsEssai: ['example.org'] });
}

/**
 * Makes the task of the documentation's example, unless it exists. The purge removes it some days after its end, and the
 * next start makes it again. It simulates, because it must not undo changes that a reader made to the demonstration tenant.
 */
async function makeExampleTask(taches: TachesService, tenantId: string): Promise<void> {
  const known = await taches.get(tenantId, EXAMPLE_TACHE_ID).catch(() => undefined);
  if (known) return;
  await taches.submit(tenantId, STARTER, bytesOf(SAMPLE_V2), SAMPLE_V2, true, {
    id: EXAMPLE_TACHE_ID,
  });
  // The worker, which starts later, finds it done.
  await taches.perform({ tenantId, tacheId: EXAMPLE_TACHE_ID, actor: STARTER });
}

const bytesOf = (body: object): Buffer => Buffer.from(JSON.stringify(body));

/** Syncs in their order: one makes two employees, one changes the first, and the last clears the address of the second by mistake. */
const SYNCED: readonly (readonly [id: string | undefined, employes: object[]])[] = [
  [
    EXAMPLE_SYNC_IDS.aLire,
    [
      {
        ...{ IdExterne: 'E-SYNC-1', Prenom: 'Maude', Nom: 'Gagnon' },
        Emplois: [{ IdentifiantExterne: 'J-1', IdentifiantExterneEmployeur: 'EMP-100', Matricule: '20457' }],
        ValeursChampUtilisateur: [{ NomChamp: 'Équipement remis', Valeur: 'Casque' }],
      },
      { IdExterne: 'E-SYNC-2', Prenom: 'Luc', Nom: 'Roy', Courriel: 'luc.roy@example.org' },
    ],
  ],
  [
    undefined,
    [
      {
        ...{ IdExterne: 'E-SYNC-1', Prenom: 'Maude', Nom: 'Gagnon' },
        Emplois: [{ IdentifiantExterne: 'J-1', IdentifiantExterneEmployeur: 'EMP-100', Matricule: '20458' }],
        ValeursChampUtilisateur: [{ NomChamp: 'Équipement remis', Valeur: 'Gants' }],
      },
    ],
  ],
  [EXAMPLE_SYNC_IDS.aAnnuler, [{ IdExterne: 'E-SYNC-2', Prenom: 'Luc', Nom: 'Roy', Courriel: null }]],
];

/** Makes the syncs of the documentation's examples, unless they are there. The last one can be undone, and the first one only in part. */
async function makeExampleSyncs({ syncsV2, undos }: ServiceContext, tenantId: string): Promise<void> {
  if (await undos.get(tenantId, EXAMPLE_SYNC_IDS.aAnnuler).catch(() => undefined)) return;
  for (const [id, Employes] of SYNCED) {
    const body = { Employes };
    const options = { ...(id ? { id } : {}), simulation: false, corps: () => bytesOf(body) };
    await syncsV2.sync(tenantId, STARTER, body, options);
  }
}

/** A plan to read: an employment ends, and an address is cleared. */
const PLANNED = {
  Employes: [
    {
      ...{ IdExterne: 'E-1002', Prenom: 'Jean-François', Nom: 'Côté', Courriel: null, Ville: 'Québec' },
      Emplois: [
        {
          ...{ IdentifiantExterne: 'EMPLOI-1', IdentifiantExterneEmployeur: 'EMP-100', Matricule: '20452' },
          DateFin: '2026-01-31',
        },
      ],
    },
  ],
};

const newEmployee = (IdExterne: string) => ({ Employes: [{ IdExterne, Prenom: 'Maude', Nom: 'Gagnon' }] });

/** Makes the plans of the documentation's examples, each unless it exists. They expire after a day, and the next start makes them again. */
async function makeExamplePlans(plans: PlansService, tenantId: string): Promise<void> {
  for (const [name, id] of Object.entries(EXAMPLE_PLAN_IDS)) {
    if (await plans.get(tenantId, id).catch(() => undefined)) continue;
    const body = name === 'aLire' ? PLANNED : newEmployee(`E-PLAN-${name}`);
    // A reader may have made as many plans as there may be.
    await plans.draw(tenantId, 'V2', bytesOf(body), body, id).catch(ignoring(PLAN.TropNombreux));
  }
}

const STAFF = [
  ...['Amélie Gagné', 'Bruno Pelletier', 'Chantal Fortin', 'Denis Morin', 'Élise Lavoie', 'Félix Ouellet'],
  ...['Geneviève Caron', 'Hugo Thériault', 'Inès Bélanger', 'Jules Dubé', 'Karine Simard', 'Louis Nadeau'],
];

/** The export of a foundry. @param DateFin of each employment */
const exportOf = (DateFin: string | null) => ({
  Syndicats: [
    {
      ...{ IdentifiantExterne: 'SYN-10', Nom: 'Syndicat des aciéristes' },
      Employeurs: [{ IdentifiantExterne: 'EMP-500', Nom: 'Fonderie de l’Estuaire' }],
    },
  ],
  Employes: STAFF.map((name, index) => {
    const [Prenom, Nom] = name.split(' ');
    const emploi = { IdentifiantExterneEmployeur: 'EMP-500', Matricule: `${501 + index}` };
    const Emplois = [{ IdentifiantExterne: 'J-1', ...emploi, DateDebut: '2018-05-01', DateFin }];
    return { IdExterne: `E-${5001 + index}`, Prenom, Nom, Emplois };
  }),
});

/**
 * Sends an export by which all employments of a foundry end, because its end of the pay period is in the wrong column. The brake stops
 * it. Does nothing while the data space has a plan that the brake has stopped.
 */
async function makeAccident(
  { clients, plans, syncsV2 }: ServiceContext,
  clientId: string,
  tenantId: string,
): Promise<void> {
  const { items } = await plans.list(tenantId, [])(undefined, 100);
  const known = JSON.parse(`[${items.join(',')}]`) as { readonly etat: string }[];
  if (known.some(({ etat }) => etat === 'Bloque')) return;
  const send = (body: object) =>
    syncsV2.sync(tenantId, STARTER, body, { simulation: false, corps: () => bytesOf(body) });
  await send(exportOf(null));
  const { freins } = await clients.get(clientId);
  // For this sync only: the brake would stop the reader's own, too.
  await clients.update(STARTER, clientId, { freins: { terminaisonsPourcent: 0, minimum: STAFF.length } });
  try {
    await send(exportOf('2026-01-31')).catch(ignoring(SYNC.FreinDeclenche));
  } finally {
    await clients.update(STARTER, clientId, { freins });
  }
}

/** Forms, cards and requests, each unless it is there. */
async function signExamples({ formulaires, signing, tenantId, actor }: DemonstrationSpace): Promise<void> {
  const carte = { titre: 'Carte de membre 2026', syndicatIdExterne: 'SYN-10' };
  const forms: Record<string, FormulaireRecord> = {
    [EXAMPLE_IDS.formulaire]: { ...carte, champs: ['Quart de travail'], objetsConsentement: ['INFOLETTRE'] },
    [EXAMPLE_IDS.formulaireLibre]: { ...carte, actif: false },
  };
  for (const [id, form] of Object.entries(forms)) {
    if (!(await found(formulaires.get(tenantId, id)))) await formulaires.create(tenantId, actor, form, id);
  }
  for (const [id, card] of Object.entries(SIGNINGS)) {
    if (!(await found(signing.get(tenantId, id)))) await signing.sign(tenantId, actor, card, id);
  }
}

/** Creates the missing endpoints, and a delivery to the first. They use example.org, where no server listens. */
async function registerExamples(space: DemonstrationSpace): Promise<void> {
  const { webhooks, certifications, tenantId, manager } = space;
  const record = { url: 'https://hooks.example.org/mandat', types: ['sync.terminee' as const] };
  if (!(await found(webhooks.get(tenantId, manager.modules, EXAMPLE_WEBHOOK_ID)))) {
    await webhooks.create(tenantId, manager, { ...record, description: 'Paie' }, EXAMPLE_WEBHOOK_ID);
    await webhooks.test(tenantId, manager, EXAMPLE_WEBHOOK_ID, EXAMPLE_LIVRAISON_ID);
  }
  if (!(await found(webhooks.get(tenantId, manager.modules, EXAMPLE_WEBHOOK_INACTIF_ID))))
    await webhooks.create(tenantId, manager, { ...record, actif: false }, EXAMPLE_WEBHOOK_INACTIF_ID);
  if (await certifications.latest(tenantId, EXAMPLE_WEBHOOK_ID)) return;
  const id = EXAMPLE_CERTIFICATION_ID;
  await certifications.insert(tenantId, EXAMPLE_WEBHOOK_ID, Buffer.from('demonstration'), id);
  for (const nom of SCENARIOS) {
    const observe = `HTTP ${RULES[nom].accepts ? 204 : 401} after 12 ms`;
    await certifications.observe(tenantId, id, { nom, reussi: true, observe });
  }
  await certifications.end(tenantId, id, null);
}

/** Creates the email if it is missing. Its recipients use example.org, which receives nothing. */
async function writeExample({ courriels, tenantId, manager }: DemonstrationSpace): Promise<void> {
  if (await found(courriels.get(tenantId, EXAMPLE_COURRIEL_ID))) return;
  const letter = {
    destinataires: { idExternes: ['E-1001', 'E-1002'] },
    sujet: 'Assemblée générale du 12 mars',
    corpsHtml: '<p>L’assemblée générale aura lieu le <b>12 mars</b> à 19 h.</p>',
  };
  await courriels.create(tenantId, manager, letter, EXAMPLE_COURRIEL_ID);
}

/** Returns a handler that ignores one refusal. */
function ignoring(refusal: ErrorDefinition) {
  return (error: unknown): void => {
    if (!(error instanceof DomainError && error.definition === refusal)) throw error;
  };
}
