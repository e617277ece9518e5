import { type Batch, BatchCount } from './batch-count';

const batch: Batch = {
  first: 3,
  isWhole: true,
  graine: 'seed',
  questions: ['P', 'Q'].map((id) => ({
    ...{ id, titre: id, type: 'ChoixLibre', estPreferentiel: false, nombreElus: null },
  })),
};
const options = ['A', 'B'].map((id) => ({ id, libelle: `Option ${id}` }));

/** Results of the questions, with weights as they are written. */
function counted(rows: readonly Parameters<BatchCount['add']>[0][], of: Batch = batch): unknown[] {
  const count = new BatchCount();
  for (const row of rows) count.add(row);
  return [...count.items(of)].map((item) => JSON.parse(new TextDecoder().decode(item)) as unknown);
}

describe('the count of a batch', () => {
  it('keeps questions apart, and puts lists of answers together', () => {
    const rows = [
      { question: 3, options: null, lignes: '2 2.5000 1 0\n1 1 0 ' },
      { question: 4, options, lignes: null },
      { question: 3, options, lignes: null },
      { question: 4, options: null, lignes: '1 0.25 2 1' },
      { question: 3, options: null, lignes: '1 1 0 0,1' },
    ];
    const option = (OptionId: string, Votes: number, PoidsTotal: number, Pourcentage: number): object => ({
      ...{ OptionId, Libelle: `Option ${OptionId}`, Votes, PoidsTotal, Pourcentage },
    });
    expect(counted(rows)).toEqual([
      {
        ...{ QuestionId: 'P', Titre: 'P', Type: 'ChoixLibre', EstPreferentiel: false },
        ...{ Exprimes: 3, Abstentions: 1, Options: [option('A', 3, 3.5, 100), option('B', 1, 1, 28.57)] },
      },
      {
        ...{ QuestionId: 'Q', Titre: 'Q', Type: 'ChoixLibre', EstPreferentiel: false },
        ...{ Exprimes: 1, Abstentions: 0, Options: [option('A', 0, 0, 0), option('B', 1, 0.25, 100)] },
      },
    ]);
  });

  it('has zeros for questions without answers', () => {
    const rows = [3, 4].map((question) => ({ question, options, lignes: null }));
    expect(counted(rows)).toMatchObject([
      { Exprimes: 0, Abstentions: 0, Options: [{ Votes: 0 }, { Votes: 0 }] },
      { Exprimes: 0 },
    ]);
  });

  it('counts thresholds in the finest weight that a line names', () => {
    const ranked = { ...batch.questions[0]!, type: 'Election', estPreferentiel: true, nombreElus: 1 };
    const of = { ...batch, questions: [ranked] };
    const rows = [
      { question: 3, options, lignes: null },
      { question: 3, options: null, lignes: '2 1.0 1 0\n3 3 0 1,0' },
    ];
    expect(counted(rows, of)).toMatchObject([{ Tours: [{ Seuil: 2.1, Elus: ['B'] }] }]);
  });
});
