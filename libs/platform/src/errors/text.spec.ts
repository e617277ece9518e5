import { fr } from './text';

const N = '\u00a0';

describe('fr', () => {
  it('sets apostrophes, spaces before signs, quotes and numbers of a string', () => {
    expect(fr("L'employé : 250 000 « champs »; où? Là!")).toBe(
      `L’employé${N}: 250${N}000 «${N}champs${N}»; où? Là!`,
    );
    expect(fr('le 12 3456 et 12 345 678')).toBe(`le 12 3456 et 12${N}345${N}678`);
  });

  it('sets a template, leaves its values as they are, and writes numbers with separators of thousands', () => {
    const sent = "d'Or : « 1 000 »";
    expect(fr`L'option « ${sent} » a ${1_234_567} votes : ${sent}`).toBe(
      `L’option «${N}${sent}${N}» a 1${N}234${N}567 votes${N}: ${sent}`,
    );
    for (const count of [0, 1]) expect(fr`${count} fois`).toBe(`${count} fois`);
  });
});
