import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const CLIENT = join(__dirname, '../../../packages/client-python');

/** The oldest version that the package promises. */
const IS_KNOWN = 'import sys; sys.exit(sys.version_info < (3, 9))';
const PYTHON = process.env.PYTHON ?? 'python3';
const succeeds = (code: string, variables: NodeJS.ProcessEnv = {}): boolean =>
  spawnSync(PYTHON, ['-c', code], { env: { ...process.env, ...variables } }).status === 0;
const isHere = succeeds(IS_KNOWN);
if (!isHere)
  console.warn(
    `Tests of the Python client are skipped: ${PYTHON} is no Python 3.9 or later (PYTHON names another one).`,
  );

/** Describes tests that need Python. */
export const describePython = isHere ? describe : describe.skip;

/** Returns whether Python can import a module. */
export const hasModule = (name: string, variables?: NodeJS.ProcessEnv): boolean =>
  isHere && succeeds(`import ${name}`, variables);

/** Runs Python in the folder of the client, beside this process. */
export async function python(
  parameters: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(PYTHON, parameters, {
    cwd: CLIENT,
    env: { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1', ...variables },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  return { code, output };
}
