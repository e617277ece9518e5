import { TestApp } from '../setup/test-app';
import {
  employee,
  employer,
  expectSync,
  job,
  type Loose,
  many,
  membership,
  Partner,
  union,
  without,
} from './support';
import { perFile, perTest } from '../setup/fixtures';

/** Says what is allowed, because a value of each type of field is text. */
const TEXT =
  'must be text: "true" or "false" for a boolean, AAAA-MM-JJ or a date-time for a date, a choice by its external identifier';

const CHOICES = 'must be the external identifier of a choice of the field: NUIT, JOUR';
const TWICE = 'appears twice in this request; the first one counts';

const app = perFile(() => TestApp.start());
const partner = perTest(() => Partner.start(app));

describe('a record may name records of the same request', () => {
  it('employers and unions, wherever their list is in the body', async () => {
    const Employes = [employee('E-1', { Emplois: [job('J', 'EMP-1')], Adhesions: [membership('SYN-1')] })];
    const Syndicats = [union('SYN-1', [employer('EMP-1')])];
    await expectSync(partner.sync({ Employes, Syndicats }), {
      ...{ Syndicats: [1, 0], Employeurs: [1, 0], Employes: [1, 0], Emplois: [1, 0], Adhesions: [1, 0] },
    });
  });

  it('but not rejected ones', async () => {
    const Syndicats = [
      union('SYN-1', [{ IdentifiantExterne: 'EMP-1' }]),
      without(union('SYN-2', [employer('EMP-2')]), 'Nom'),
    ];
    const Emplois = [job('J-1', 'EMP-1'), job('J-2', 'EMP-2')];
    const Adhesions = [membership('SYN-1'), membership('SYN-2')];
    const noEmployer = (id: string) => `IdentifiantExterneEmployeur names no employer: ${id} (employee E-1)`;
    await expectSync(partner.sync({ Syndicats, Employes: [employee('E-1', { Emplois, Adhesions })] }), {
      Syndicats: [1, 0, [['SYN-2', 'Nom is required']]],
      // The employer of the rejected union is rejected with it: the only error is that of the union.
      Employeurs: [0, 0, [['EMP-1', 'Nom is required (union SYN-1)']]],
      Employes: [1, 0],
      Emplois: [
        ...([0, 0] as const),
        [
          ['J-1', noEmployer('EMP-1')],
          ['J-2', noEmployer('EMP-2')],
        ],
      ],
      Adhesions: [1, 0, [['SYN-2', 'SyndicatIdExterne names no union: SYN-2 (employee E-1)']]],
    });
    expect(await partner.rows('syndicat_employeur')).toEqual([]);
  });
});

describe('an unknown name is that record’s error', () => {
  it('an employer or a union: the employment or the membership is an error, and its employee is written', async () => {
    await partner.sync({ Syndicats: [union('SYN-1', [employer('EMP-1')])] });
    const Employes = [
      employee('E-1', {
        Emplois: [job('J-1', 'emp-1'), job('J-2', 'EMP-1')],
        Adhesions: [membership('syn-1'), membership('SYN-1')],
      }),
      employee('E-2', { Emplois: [job('J-1', 'SYN-1')], Adhesions: [membership('EMP-1')] }),
    ];
    await expectSync(partner.sync({ Employes }), {
      Employes: [2, 0],
      Emplois: [
        ...([1, 0] as const),
        [
          ['J-1', 'IdentifiantExterneEmployeur names no employer: emp-1 (employee E-1)'],
          ['J-1', 'IdentifiantExterneEmployeur names no employer: SYN-1 (employee E-2)'],
        ],
      ],
      Adhesions: [
        ...([1, 0] as const),
        [
          ['syn-1', 'SyndicatIdExterne names no union: syn-1 (employee E-1)'],
          ['EMP-1', 'SyndicatIdExterne names no union: EMP-1 (employee E-2)'],
        ],
      ],
    });
  });

  it('errors of a list come in the order sent, independent of the check that found them', async () => {
    await partner.employers('EMP-1');
    const Employes = many(30, (index) =>
      employee(`E-${index}`, {
        Emplois: [
          index % 3 === 0 ? job(`J-${index}`, 'NOBODY') : index % 3 === 1 ? {} : job(`J-${index}`, 'EMP-1'),
          job(`K-${index}`, index % 2 ? 'NOBODY' : 'EMP-1'),
        ],
      }),
    );
    const { json } = await partner.sync({ Employes });
    expect(json.Emplois.Erreurs.map(({ IdUnique }: Loose) => IdUnique)).toEqual(
      many(30, (index) => [
        ...(index % 3 === 0 ? [`J-${index}`] : index % 3 === 1 ? [''] : []),
        ...(index % 2 ? [`K-${index}`] : []),
      ]).flat(),
    );
  });
});

describe('values of custom fields', () => {
  const value = (NomChamp: unknown, Valeur?: unknown): Loose => ({ NomChamp, Valeur });
  beforeEach(async () => {
    await partner.defineField('Texte', 'texte');
    await partner.defineField('Date', 'date');
    await partner.defineField('Booleen', 'booleen');
    await partner.defineField('Choix', 'choix', ['NUIT', 'JOUR']);
    await partner.defineField('Obligatoire', 'texte', [], true);
  });
  const values = async (id: string): Promise<unknown> => (await partner.v2(id)).valeursChampUtilisateur;

  it('are written as text and read in the shape of their type; absent ones stay, null or empty removes', async () => {
    const all = [
      value('Texte', ' 007 '),
      value('Date', '2026-01-15T19:00:00-05:00'),
      value('Booleen', 'false'),
      value('Choix', 'NUIT'),
      value('Obligatoire', 'x'),
    ];
    await expectSync(partner.sync({ Employes: [employee('E-1', { ValeursChampUtilisateur: all })] }), {
      Employes: [1, 0],
    });
    const date = { type: 'date', nom: 'Date', valeur: '2026-01-16T00:00:00.000Z' };
    const booleen = { type: 'booleen', nom: 'Booleen', valeur: false };
    const mandatory = { type: 'texte', nom: 'Obligatoire', valeur: 'x' };
    expect(await values('E-1')).toEqual([
      booleen,
      { type: 'choix', nom: 'Choix', idExterneChoix: 'NUIT' },
      ...[date, mandatory],
      { type: 'texte', nom: 'Texte', valeur: '007' },
    ]);
    const flat = (await partner.v1('E-1')).valeursChampUtilisateur;
    expect(flat[1]).toMatchObject({ nom: 'Choix', valeurChoix: 'Libellé 1', valeurTexte: null });
    const empty = { valeursChampUtilisateur: [{ nomChamp: 'Choix', valeur: 'JOUR' }, value('Texte', null)] };
    await partner.employee('E-1', empty);
    await partner.employee('E-1', { ValeursChampUtilisateur: [value('Booleen', ' '), value('Date')] });
    for (const ValeursChampUtilisateur of [[], null, undefined]) {
      await partner.employee('E-1', { ValeursChampUtilisateur });
    }
    expect(await values('E-1')).toEqual([{ type: 'choix', nom: 'Choix', idExterneChoix: 'JOUR' }, mandatory]);
  });

  it('an invalid one is the employee’s error, and nothing of the employee is written', async () => {
    await partner.employers('EMP-1');
    await partner.employee('E-1', { ValeursChampUtilisateur: [value('Texte', 'avant')] });
    const before = await partner.versions();
    const wrong: [unknown, RegExp | string][] = [
      [value('Inconnu', 'x'), 'no custom field is named Inconnu'],
      [value('texte', 'x'), 'no custom field is named texte'],
      [value('__proto__', 'x'), 'no custom field is named __proto__'],
      [value('Choix', 'Libellé 1'), `Choix ${CHOICES}`],
      [value('Choix', 'nuit'), `Choix ${CHOICES}`],
      [value('Booleen', 'True'), 'Booleen must be true or false'],
      [value('Booleen', '1'), 'Booleen must be true or false'],
      ...[value('Booleen', true), value('Texte', true), value('Texte', 7), value('Choix', {})].map(
        (one): [unknown, string] => [one, `element 1: Valeur ${TEXT}`],
      ),
      [value('Texte', 'x'.repeat(10_001)), /Valeur must have at most 10000 characters/],
      [value('Texte', '\u0000'), /U\+0000/],
      [value('Date', '2026-02-30'), /Date must be an ISO 8601/],
      [value('Date', '2026-01-15T10:00:00'), /Date must be an ISO 8601/],
      [value('Date', 'hier'), /Date must be an ISO 8601/],
      [value('Obligatoire', null), /Obligatoire must not be removed/],
      [value('Obligatoire', ' '), /Obligatoire must not be removed/],
      [value(null, 'x'), /NomChamp is required/],
      [{ Valeur: 'x' }, /NomChamp is required/],
      [{ ...value('Texte', 'x'), Type: 'texte' }, /Type is not a property/],
      [{ type: 'texte', nom: 'Texte', valeur: 'x' }, /nom is not a property/],
      [null, /must be an object/],
      ['Texte', /must be an object/],
    ];
    const Employes = wrong.map(([one], index) =>
      employee(index === 0 ? 'E-1' : `B-${index}`, {
        ValeursChampUtilisateur: [one],
        Emplois: [job('J-1', 'EMP-1'), {}],
        Adhesions: [membership('SYN'), {}],
      }),
    );
    await expectSync(partner.sync({ Employes }), {
      Employes: [
        ...([0, 0] as const),
        wrong.map(([, message], index) => [
          index === 0 ? 'E-1' : `B-${index}`,
          typeof message === 'string'
            ? `ValeursChampUtilisateur: ${message}`
            : expect.stringMatching(new RegExp(`^ValeursChampUtilisateur: .*${message.source}`)),
        ]),
      ],
    });
    expect(await partner.versions()).toEqual(before);
  });

  it('a field twice is the employee’s error', async () => {
    const twice = [value('Texte', 'a'), value('Texte ', 'b')];
    await expectSync(partner.sync({ Employes: [employee('E-1', { ValeursChampUtilisateur: twice })] }), {
      Employes: [0, 0, [['E-1', 'ValeursChampUtilisateur: Texte is given twice']]],
    });
  });
});

describe('a rejected record', () => {
  it('its children are rejected with it: the only error is the parent’s', async () => {
    const Syndicats = [
      { IdentifiantExterne: 'SYN-1', Employeurs: [employer('EMP-1'), {}, null] },
      union('SYN-2', 'EMP-1' as never),
      null,
    ];
    const children = { Emplois: [job('J-1', 'EMP-1'), {}], Adhesions: [membership('SYN-1'), 3] };
    const Employes = [
      employee('E-1', { Courriel: 'nobody', ...children }),
      employee('E-2', { ...children, Adhesions: {} }),
      employee('E-3', { ...children, Surnom: 'Z' }),
      without(employee('', children), 'IdExterne'),
    ];
    await expectSync(partner.sync({ Syndicats, Employes }), {
      Syndicats: [
        ...([0, 0] as const),
        [
          ['SYN-1', 'Nom is required'],
          ['SYN-2', 'Employeurs must be a list'],
          ['', 'Syndicats[2]: the record must be an object'],
        ],
      ],
      Employes: [
        ...([0, 0] as const),
        [
          ['E-1', 'invalid e-mail'],
          ['E-2', 'Adhesions must be a list'],
          ['E-3', expect.stringMatching(/^Surnom is not a property of this record; known are /)],
          ['', 'Employes[3]: IdExterne is required'],
        ],
      ],
    });
    for (const table of ['syndicat', 'employeur', 'employe', 'emploi', 'membership'] as const) {
      expect(await partner.rows(table)).toEqual([]);
    }
  });

  it('its stored values are unchanged', async () => {
    await partner.sync({ Syndicats: [union('SYN-1', [employer('EMP-1')])] });
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1')], Adhesions: [membership('SYN-1')] });
    await partner.age();
    const before = await partner.versions();
    const sent = {
      Syndicats: [union('SYN-1', [employer('EMP-1', { Nom: 7 })], { Nom: 'Syndicat SYN-1' })],
      Employes: [
        employee('E-1', { Emplois: [job('J-1', 'EMP-1', { Matricule: {} })], Adhesions: [{}] }),
        employee('E-1 ', { Nom: 'Roy', Emplois: [job('J-2', 'EMP-1')] }),
      ],
      ObjetsConsentement: [{ IdExterne: 'O' }],
    };
    await expectSync(partner.sync(sent), {
      Syndicats: [0, 1],
      Employeurs: [0, 0, [['EMP-1', 'Nom must be text (union SYN-1)']]],
      Employes: [0, 1, [['E-1', TWICE]]],
      Emplois: [0, 0, [['J-1', 'Matricule must be text (employee E-1)']]],
      Adhesions: [
        0,
        0,
        [['', expect.stringMatching(/^Employes\[0\]\.Adhesions\[0\]: SyndicatIdExterne is required/)]],
      ],
      ObjetsConsentement: [0, 0, [['O', expect.stringMatching(/^nom is required$/i)]]],
    });
    expect(await partner.versions()).toEqual(before);
  });
});

describe('the second record with an identifier', () => {
  it('is an error, whether or not the first one was valid: unions, employees, consent objects', async () => {
    const Syndicats = [
      union('A', [employer('EMP-1')]),
      union(' A', [employer('EMP-2')], { Nom: 'Autre' }),
      { IdentifiantExterne: 'B' },
      union('B'),
      union('a'),
    ];
    const Employes = [
      employee('A'),
      { idExterne: 'A', prenom: 'Ève', nom: 'Roy' },
      { IdExterne: 'B', Prenom: 'sans nom' },
      employee('B'),
      employee('a'),
    ];
    const ObjetsConsentement = [
      ...[
        { IdExterne: 'A', Nom: 'A' },
        { IdExterne: 'A', Nom: 'Autre' },
      ],
      ...[{ IdExterne: 'B' }, { IdExterne: 'B', Nom: 'B' }, { IdExterne: 'a', Nom: 'a' }],
    ];
    const errors = (missing: unknown): [string, unknown][] => [
      ['A', TWICE],
      ['B', missing],
      ['B', TWICE],
    ];
    await expectSync(partner.sync({ Syndicats, Employes, ObjetsConsentement }), {
      Syndicats: [2, 0, errors('Nom is required')],
      Employeurs: [1, 0],
      Employes: [2, 0, errors('Nom is required')],
      ObjetsConsentement: [2, 0, errors(expect.stringMatching(/^nom is required$/i))],
    });
    expect((await partner.v2('A')).prenom).toBe('Zoé');
    expect((await partner.get('/b2b/v2/syndicat/A')).nom).toBe('Syndicat A');
  });

  it('is an error among the employers of a union, and among the employments and memberships of an employee', async () => {
    const note = (whose: string) => `${TWICE} (${whose})`;
    const Syndicats = [
      union('SYN-1', [employer('EMP-1'), employer('EMP-1')]),
      union('SYN-2', [employer('EMP-1')]),
    ];
    const more = {
      Emplois: [
        job('J-1', 'EMP-1'),
        job('J-1', 'EMP-1', { Matricule: 'X' }),
        { IdentifiantExterne: 'J-2' },
        job('J-2', 'EMP-1'),
        job('J-3', 'NOBODY'),
        job('J-3', 'EMP-1'),
      ],
      Adhesions: [membership('SYN-1'), membership('SYN-1', '2022-01-01'), membership('SYN-2')],
    };
    await expectSync(
      partner.sync({
        Syndicats,
        Employes: [employee('E-1', more), employee('E-2', { Adhesions: [membership('SYN-1')] })],
      }),
      {
        ...{ Syndicats: [2, 0], Employes: [2, 0] },
        Employeurs: [1, 1, [['EMP-1', note('union SYN-1')]]],
        Emplois: [
          ...([1, 0] as const),
          [
            ['J-1', note('employee E-1')],
            ['J-2', 'IdentifiantExterneEmployeur is required; Matricule is required (employee E-1)'],
            ['J-2', note('employee E-1')],
            ['J-3', 'IdentifiantExterneEmployeur names no employer: NOBODY (employee E-1)'],
            ['J-3', note('employee E-1')],
          ],
        ],
        Adhesions: [3, 0, [['SYN-1', note('employee E-1')]]],
      },
    );
    expect((await partner.v2('E-1')).emplois).toMatchObject([{ matricule: 'M-J-1' }]);
    expect((await partner.v2('E-1')).adhesions[0].dateAdhesion).toBe('2021-05-01T00:00:00.000Z');
  });

  it('is not a record whose identifier only looks like that of a rejected one', async () => {
    const sent = ['A\ud800', 'A\u0000', 'A\ufffd', 'A'].map((id) => employee(id));
    const { json } = await partner.sync({ Employes: sent });
    expect(json.Employes).toMatchObject({ AddCount: 2, Erreurs: [expect.anything(), expect.anything()] });
    expect((await partner.rows('employe')).map((row) => row.id_externe).sort()).toEqual(['A', 'A\ufffd']);
  });
});
