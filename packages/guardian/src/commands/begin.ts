import { drawSecrets, encodeScalar, MOST_GUARDIANS } from '@mandat/ballot/guardians';
import { existsSync } from 'node:fs';
import { EXIT, type ExitCode, Failure } from '../failure.js';
import { print, shown } from '../output.js';
import { SecretFile } from '../secret-file.js';
import { type Context, text } from '../session.js';

/** Makes the secret file. */
export async function beginCommand({ texts, prompts, secretPath }: Context): Promise<ExitCode> {
  if (existsSync(secretPath)) throw new Failure(texts.secretExists(shown(secretPath)));
  const nom = await prompts.ask(texts.askName);
  if (nom === '') throw new Failure(texts.emptyName);
  const gardien = Number(await prompts.ask(texts.askNumber));
  if (!Number.isInteger(gardien) || gardien < 1 || gardien > MOST_GUARDIANS)
    throw new Failure(texts.badNumber);
  const phrase = await prompts.newPhrase();
  const { seed, transport } = drawSecrets();
  SecretFile.create(texts, secretPath, phrase, {
    ...{ gardien, nom, graine: text(seed), transport: text(encodeScalar(transport)) },
    fichiers: {},
  });
  print(texts.secretMade(shown(secretPath)));
  return EXIT.done;
}
