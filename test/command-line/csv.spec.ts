import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Csv from '../../packages/cli/dist/csv/index.js';
import type * as Rows from '../../packages/cli/dist/csv/rows.js';
import type * as Dates from '../../packages/cli/dist/csv/dates.js';
import type { FileFailure } from '../../packages/cli/dist/failure.js';
import { built, PACKAGE, windows1252 } from './support/mandat';

const { bodyOfCsv } = built<typeof Csv>('csv/index.js');
const { readRows, separatorOf } = built<typeof Rows>('csv/rows.js');
const { dateOf } = built<typeof Dates>('csv/dates.js');

type Loose = Record<string, unknown>;

const MINIMAL = { Employes: { IdExterne: 'No', Nom: 'Nom', Prenom: 'Prénom' } };
const WITH_JOBS = {
  Employes: {
    ...MINIMAL.Employes,
    Courriel: 'Courriel',
    Emplois: {
      IdentifiantExterne: { texte: '{No}/{Site}' },
      IdentifiantExterneEmployeur: 'Site',
      Matricule: 'No',
      DateDebut: 'Début',
    },
  },
};

const bodyOf = (csv: string | Buffer, mapping: unknown = MINIMAL, clears = false): Record<string, Loose[]> =>
  bodyOfCsv(Buffer.from(csv), mapping, { file: 'f.csv', mappingFile: 'm.json', clears }) as Record<
    string,
    Loose[]
  >;

/** Returns the faults of a file as they are printed. */
function faultsOf(csv: string | Buffer, mapping: unknown = MINIMAL, clears = false): readonly string[] {
  try {
    bodyOf(csv, mapping, clears);
  } catch (error) {
    return (error as FileFailure).notes;
  }
  return [];
}

const rowsOf = (text: string): [string[], number][] => {
  const rows: [string[], number][] = [];
  readRows(text, 'f.csv', (cells, line) => void rows.push([[...cells], line]));
  return rows;
};

const ZOE = { IdExterne: '7', Nom: 'Cœur’d', Prenom: 'Zoé' };

describe('The text of an export', () => {
  const text = 'No;Nom;Prénom\r\n7;Cœur’d;Zoé\r\n';
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['Windows-1252', windows1252(text)],
    ['decomposed letters', Buffer.from(text.normalize('NFD'))],
  ])('%s is read', (_name, bytes) => {
    expect(bodyOf(bytes)).toEqual({ Employes: [ZOE] });
  });

  it.each([
    [';', 'a;"b, c";d'],
    [',', '"x;y",b,c,d,e'],
    [',', 'a,b,"c;d;e"'],
    ['\t', 'a\tb\tc;d'],
  ])('the separator %j is detected', (separator, header) => {
    expect(separatorOf(`${header}\n1`)).toBe(separator);
  });

  it('line breaks in quotes, doubled quotes, each kind of line end and empty lines keep the numbers of lines', () => {
    expect(rowsOf('a;b\r\n"1\r\n2";"say ""x"""\n\n  \n;\r\n3;4\n\n;;\n')).toEqual([
      [['a', 'b'], 1],
      [['1\n2', 'say "x"'], 2],
      [['3', '4'], 7],
    ]);
    expect(rowsOf('a;b\r1;2\r')).toEqual([
      [['a', 'b'], 1],
      [['1', '2'], 2],
    ]);
  });

  it('a quote that is not closed, or stands inside of a cell, names the line', () => {
    const header = 'No;Nom;Prénom\n1;a;b\n';
    expect(faultsOf(`${header}2;"c;d\n3;e;f\n`)).toEqual([
      'f.csv: line 3: a quote is opened here or below and never closed',
    ]);
    expect(faultsOf(`${header}2;"c"x;d\n`)).toEqual([
      expect.stringMatching(/^f\.csv: line 3: a quote stands inside/),
    ]);
  });
});

describe('A date', () => {
  it.each([
    ['2024-02-29', undefined, '2024-02-29'],
    ['20240229', undefined, '2024-02-29'],
    ['2024-02-29 00:00:00', undefined, '2024-02-29'],
    ['29/02/2024', undefined, '2024-02-29'],
    ['2/29/2024', undefined, '2024-02-29'],
    ['04/04/2024', undefined, '2024-04-04'],
    ['3/4/2024', 'JJ/MM/AAAA', '2024-04-03'],
    ['3/4/2024', 'MM/JJ/AAAA', '2024-03-04'],
    ['03-04-2024', 'JJ/MM/AAAA', '2024-04-03'],
    ['45321', undefined, '2024-01-30'],
    ['36526', 'JJ/MM/AAAA', '2000-01-01'],
  ] as const)('%s (%s) is %s', (cell, form, day) => {
    expect(dateOf(cell, form)).toBe(day);
  });

  it.each([
    ['31/02/2024', undefined, 'is no day of the calendar'],
    ['2023-02-29', undefined, 'is no day of the calendar'],
    ['3/4/2024', undefined, 'is ambiguous'],
    ['13/14/2024', 'JJ/MM/AAAA', 'is no day of the calendar'],
    ['3/4/24', undefined, 'is no date'],
    ['3/4/2024', 'AAAA-MM-JJ', 'is no date; expected AAAA-MM-JJ'],
    ['2024-02-29 13:45', undefined, 'is no date'],
    ['hier', undefined, 'is no date'],
  ] as const)('%s (%s) %s', (cell, form, message) => {
    expect(() => dateOf(cell, form)).toThrow(message);
  });
});

describe('The body', () => {
  it('lines of one employee are one employee with several employments', () => {
    const csv =
      'No;Nom;Prénom;Courriel;Site;Début\n7;Roy;Zoé;;A;\n8;Roy;Léo;;;\n7;Roy;Zoé;z@x.ca;B;45321\n7;Roy;Zoé;;A;\n';
    expect(bodyOf(csv, WITH_JOBS)).toEqual({
      Employes: [
        {
          ...{ IdExterne: '7', Nom: 'Roy', Prenom: 'Zoé', Courriel: 'z@x.ca' },
          Emplois: [
            { IdentifiantExterne: '7/A', IdentifiantExterneEmployeur: 'A', Matricule: '7' },
            {
              IdentifiantExterne: '7/B',
              IdentifiantExterneEmployeur: 'B',
              Matricule: '7',
              DateDebut: '2024-01-30',
            },
          ],
        },
        // Its line has no employment.
        { IdExterne: '8', Nom: 'Roy', Prenom: 'Léo' },
      ],
    });
  });

  it('an empty cell is absent, and null with --vider', () => {
    const csv = 'No;Nom;Prénom;Courriel;Site;Début\n7;Roy;Zoé;;A;\n';
    const [kept] = bodyOf(csv, WITH_JOBS).Employes!;
    expect(kept).not.toHaveProperty('Courriel');
    const [cleared] = bodyOf(csv, WITH_JOBS, true).Employes!;
    expect(cleared).toMatchObject({ Courriel: null, Emplois: [{ DateDebut: null }] });
  });

  it('custom values, translated values, constants and the apostrophe of formulas', () => {
    const csv = "No;Nom;Prénom;Nuit;Depuis;Tél\n7;Roy;Zoé;Oui;45321;'+1 418\n8;Roy;Léo;;;418\n";
    const champs = {
      nuit: { colonne: 'Nuit', valeurs: { Oui: 'true', Non: 'false' } },
      depuis: { colonne: 'Depuis', date: 'AAAA-MM-JJ' },
    };
    const employes = {
      ...MINIMAL.Employes,
      TelephonePrincipal: 'Tél',
      Province: { texte: 'QC' },
      ValeursChampUtilisateur: champs,
    };
    expect(bodyOf(csv, { Employes: employes }).Employes).toEqual([
      {
        ...{ IdExterne: '7', Nom: 'Roy', Prenom: 'Zoé', Province: 'QC', TelephonePrincipal: '+1 418' },
        ValeursChampUtilisateur: [
          { NomChamp: 'nuit', Valeur: 'true' },
          { NomChamp: 'depuis', Valeur: '2024-01-30' },
        ],
      },
      { IdExterne: '8', Nom: 'Roy', Prenom: 'Léo', Province: 'QC', TelephonePrincipal: '418' },
    ]);
    expect(faultsOf(csv.replace('Oui', 'Souvent'), { Employes: employes })).toEqual([
      'f.csv: line 2, column "Nuit": "Souvent" has no value in the mapping; it has "Oui", "Non"',
    ]);
  });

  it('several employments of one line', () => {
    const job = (site: string): Loose => ({
      IdentifiantExterne: { texte: `{No}/{${site}}` },
      IdentifiantExterneEmployeur: site,
      Matricule: 'No',
    });
    const mapping = { Employes: { ...MINIMAL.Employes, Emplois: [job('Site 1'), job('Site 2')] } };
    const { Employes } = bodyOf('No;Nom;Prénom;Site 1;Site 2\n7;Roy;Zoé;A;B\n8;Roy;Léo;A;\n', mapping);
    expect(
      Employes!.map(({ Emplois }) => (Emplois as Loose[]).map((one) => one.IdentifiantExterneEmployeur)),
    ).toEqual([['A', 'B'], ['A']]);
  });

  it('unions with their employers, once each', () => {
    const mapping = {
      Syndicats: {
        IdentifiantExterne: 'Unité',
        Nom: 'Syndicat',
        Employeurs: { IdentifiantExterne: 'Site', Nom: 'Établissement' },
      },
    };
    const csv =
      'Unité;Syndicat;Site;Établissement\nS1;Un;A;Alma\nS1;Un;B;Beauce\nS2;Deux;A;Alma\nS1;Un;A;Alma\n;;;Perdu\n';
    expect(faultsOf(csv, mapping)).toEqual([]);
    expect(bodyOf(csv, mapping)).toEqual({
      Syndicats: [
        {
          ...{ IdentifiantExterne: 'S1', Nom: 'Un' },
          Employeurs: [
            { IdentifiantExterne: 'A', Nom: 'Alma' },
            { IdentifiantExterne: 'B', Nom: 'Beauce' },
          ],
        },
        { IdentifiantExterne: 'S2', Nom: 'Deux', Employeurs: [{ IdentifiantExterne: 'A', Nom: 'Alma' }] },
      ],
    });
  });
});

describe('Faults of cells', () => {
  it('all are listed with line and column, after line breaks too', () => {
    const csv = [
      'No;Nom;Prénom;Courriel;Site;Début',
      '7;Roy;Zoé;;A;31/02/2024',
      '8;"Roy',
      'fils";;;A;2024-01-01',
      ';Roy;Léo;;B;hier',
      '9;Roy;Léo;x;A;2024-01-01;extra',
      '10;Roy;Léo',
    ].join('\n');
    expect(faultsOf(csv, WITH_JOBS)).toEqual([
      'f.csv: line 2, column "Début": "31/02/2024" is no day of the calendar',
      'f.csv: line 3, column "Prénom": is empty, but Employes.Prenom is required',
      'f.csv: line 5, column "No": is empty, but Employes.IdExterne is required',
      'f.csv: line 5, column "No, Site": is empty, but Emplois.IdentifiantExterne is required',
      'f.csv: line 5, column "No": is empty, but Emplois.Matricule is required',
      'f.csv: line 5, column "Début": "hier" is no date; expected AAAA-MM-JJ or JJ/MM/AAAA',
      'f.csv: line 6: has 7 cells, but the header has 6; is a separator or quote missing?',
    ]);
    // Missing cells are empty. With --vider they would clear values.
    expect(faultsOf(csv, WITH_JOBS, true)).toContain(
      'f.csv: line 7: has 3 cells, but the header has 6; is a separator or quote missing?',
    );
  });

  it('contradicting lines name both, also if the first of them left the value empty', () => {
    const csv =
      'No;Nom;Prénom;Courriel;Site;Début\n7;Roy;Zoé;;A;\n8;Roy;Léo;;;\n7;Roy;Zoé;z@x.ca;A;45321\n7;Roi;Zoé;y@x.ca;A;45322\n';
    expect(faultsOf(csv, WITH_JOBS)).toEqual([
      'f.csv: line 5, column "Nom": Employes.Nom of "7" is "Roi", but "Roy" in line 2',
      'f.csv: line 5, column "Courriel": Employes.Courriel of "7" is "y@x.ca", but "z@x.ca" in line 4',
      'f.csv: line 5, column "Début": Emplois.DateDebut of "7/A" is "2024-01-31", but "2024-01-30" in line 4',
    ]);
  });

  it('the first 50 are listed, and the others counted', () => {
    const notes = faultsOf(`No;Nom;Prénom\n${'1;;\n'.repeat(60)}`);
    expect(notes).toHaveLength(51);
    expect(notes.at(-1)).toBe('… and 70 more');
  });

  it('a file without a line below the header', () => {
    for (const csv of ['', 'No;Nom;Prénom\n', 'No;Nom;Prénom\n;;\n'])
      expect(faultsOf(csv)).toEqual(['f.csv: has no line below a header']);
  });
});

describe('Faults of a mapping', () => {
  const CSV = 'No;Nom;Prénom;Nom\n7;;Zoé;Roy\n';
  it.each([
    [
      'an unknown property',
      { Employes: { ...MINIMAL.Employes, Nom: 'No', Couriel: 'No' } },
      'Employes.Couriel is no property; did you mean Courriel?',
    ],
    [
      'an unknown list',
      { Employees: {}, Employes: { ...MINIMAL.Employes, Nom: 'No' } },
      'Employees is no property; did you mean Employes?',
    ],
    [
      'an unknown column',
      { Employes: { ...MINIMAL.Employes, Nom: 'No', Prenom: 'Prenom' } },
      'Employes.Prenom names "Prenom", which is no column; did you mean "Prénom"?',
    ],
    [
      'an unknown column of a template',
      { Employes: { ...MINIMAL.Employes, Nom: { texte: '{Noms}' } } },
      'Employes.Nom names "Noms", which is no column; did you mean "Nom"?',
    ],
    ['a title of two columns', MINIMAL, 'Employes.Nom names "Nom", but columns 2 and 4 have this title'],
    [
      'a required property that is missing',
      { Employes: { IdExterne: 'No', Nom: 'No' } },
      'Employes.Prenom is missing and required',
    ],
    [
      'an unknown form of dates',
      { ...MINIMAL, dates: 'JJ-MM' },
      'dates must be one of AAAA-MM-JJ, JJ/MM/AAAA, MM/JJ/AAAA',
    ],
    [
      'an unknown member of a source',
      { Employes: { ...MINIMAL.Employes, Nom: { colonne: 'No', dates: 'x' } } },
      'Employes.Nom has "dates"; known are colonne, date, valeurs',
    ],
    [
      'a number',
      { Employes: { ...MINIMAL.Employes, Nom: 3 } },
      'Employes.Nom must be the title of a column, {"colonne": …} or {"texte": …}',
    ],
    ['nothing', {}, 'needs Employes or Syndicats'],
    ['a list', [], 'must be a JSON object'],
  ])('%s', (_name, mapping, fault) => {
    expect(faultsOf(CSV, mapping)).toContain(`m.json: ${fault}`);
  });

  it('hide those of cells, which would follow from them', () => {
    expect(faultsOf('No;Nom\n;\n7;\n', MINIMAL)).toEqual([
      'm.json: Employes.Prenom names "Prénom", which is no column; there are "No", "Nom"',
    ]);
  });
});

describe('The example', () => {
  const example = (name: string): Buffer => readFileSync(join(PACKAGE, 'examples', name));
  const mapping: unknown = JSON.parse(example('correspondance.json').toString());

  it('is the same in Windows-1252, with commas and with tabs', () => {
    const text = example('paie.csv').toString();
    const body = bodyOf(text, mapping);
    expect(body.Employes!.map(({ IdExterne, Emplois }) => [IdExterne, (Emplois as Loose[]).length])).toEqual([
      ['20451', 1],
      ['20452', 2],
      ['20453', 1],
    ]);
    expect(bodyOf(windows1252(text), mapping)).toEqual(body);
    for (const separator of [',', '\t']) {
      const cells = rowsOf(text).map(([row]) => row.map((cell) => `"${cell}"`).join(separator));
      expect(bodyOf(cells.join('\r\n'), mapping)).toEqual(body);
    }
  });
});
