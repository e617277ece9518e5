import { DossierAnswers } from './dossier-answers';

async function partsOf(answers: DossierAnswers): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const part of answers.parts()) parts.push(part);
  return parts;
}

const fileOf = async (answers: DossierAnswers): Promise<string> =>
  Buffer.concat(await partsOf(answers)).toString();

describe('the answers of a question', () => {
  it('are sorted by bytes across classes and parts', async () => {
    const answers = new DossierAnswers(undefined);
    await answers.add('1 2 2 0 0\n1 10 10 0 1\n10 1 1 0 ');
    await answers.add('10 2 2 0 1\n2 1 0.5 1 0,2\n2 1 0.25 2 1');
    const file = await fileOf(answers);
    const lines = file.trimEnd().split('\n');
    expect(lines).toEqual(
      [...lines].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    expect(file).toBe(
      '{"bulletins":1,"classe":10,"poids":"1","reponse":[]}\n' +
        '{"bulletins":1,"classe":2,"poids":"0.25","reponse":[1]}\n' +
        '{"bulletins":1,"classe":2,"poids":"0.5","reponse":[0,2]}\n' +
        '{"bulletins":10,"classe":1,"poids":"10","reponse":[1]}\n' +
        '{"bulletins":2,"classe":1,"poids":"2","reponse":[0]}\n' +
        '{"bulletins":2,"classe":10,"poids":"2","reponse":[1]}\n',
    );
    expect(answers.decimals).toBe(2);
  });

  it('of a class are one line where their rankings are cut alike', async () => {
    // The first round eliminates option 2, whose ballots go on.
    const answers = new DossierAnswers([{ gone: [2], from: 2 }]);
    await answers.add('1 1 1 0 0,1\n1 2 2 0 0,2\n1 1 1 0 2,1,0\n2 1 1 0 0');
    expect(await fileOf(answers)).toBe(
      '{"bulletins":1,"classe":1,"poids":"1","reponse":[2,1]}\n' +
        '{"bulletins":1,"classe":2,"poids":"1","reponse":[0]}\n' +
        '{"bulletins":3,"classe":1,"poids":"3","reponse":[0]}\n',
    );
  });

  it('must be sorted by the text of their class', async () => {
    const answers = new DossierAnswers(undefined);
    await answers.add('10 1 1 0 0');
    await expect(answers.add('2 1 1 0 0\n10 1 1 0 1')).rejects.toThrow('sorted by class');
  });

  it('of a large class are in several parts', async () => {
    const answers = new DossierAnswers(undefined);
    const all = Array.from({ length: 2_500 }, (_, n) => `1 ${1 + (n % 2)} 1 0 ${n}`);
    await answers.add(all.join('\n'));
    const parts = await partsOf(answers);
    expect(parts.length).toBeGreaterThanOrEqual(3);
    const lines = Buffer.concat(parts).toString().trimEnd().split('\n');
    expect(lines).toHaveLength(2_500);
    expect(lines).toEqual([...lines].sort());
  });

  it('are an empty file without ballots', async () =>
    expect(await fileOf(new DossierAnswers(undefined))).toBe(''));
});
