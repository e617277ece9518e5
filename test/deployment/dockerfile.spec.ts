import { validate } from 'dockerfile-utils';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { loadConfig } from '#platform/ops/load-config';
import { isBuilt, unless } from './support/contradictions';
import { SAMPLE_SECRETS } from './support/environment';
import { manifests, textOf } from './support/files';

const ROOT = join(__dirname, '../..');
const DOCKERFILE = textOf('Dockerfile');
const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

/** The base image: its version is for readers, its digest for the builder. */
const BASE = new RegExp(`^node:${dependencies.node}-trixie-slim@sha256:[0-9a-f]{64}$`);

/** Only the digest selects the base image, so the build compares its version of Node with package.json. */
const CHECKS_VERSION = /^RUN node --eval ".*process\.version.*package\.json.*"$/;

interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly lines: readonly string[];
}

/** The stages with their instructions, a line each. */
function stagesOf(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  return lines.reduce<Stage[]>((stages, line) => {
    const [, base, name] = /^FROM (\S+)(?: AS (\S+))?$/.exec(line) ?? [];
    if (base) return [...stages, { base, name, lines: [] }];
    const last = stages.at(-1)!;
    return [...stages.slice(0, -1), { ...last, lines: [...last.lines, line] }];
  }, []);
}

/** Returns missing and unwanted parts of an image made of this text. */
function faultsOf(text: string): string[] {
  const stages = stagesOf(text);
  const last = stages.at(-1)!;
  const find = (instruction: string): string[] =>
    last.lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.split(/ (.*)/s)[1]!);
  const listOf = (argument: string | undefined): string[] =>
    argument?.startsWith('[') ? (JSON.parse(argument) as string[]) : [];
  const { port, workerPort } = loadConfig(SAMPLE_SECRETS, 'api');
  const copies = find('COPY').map((argument) => argument.split(' '));
  const modules = copies.find((parts) => parts.at(-1) === 'node_modules')?.[0];
  const installer = stages.find(({ name }) => modules === `--from=${name}`)?.lines.join('\n') ?? '';
  const users = manifests().filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  const user = find('USER')[0];
  return [
    ...stages
      .filter(({ base }) => !stages.some(({ name }) => name === base))
      .filter(({ base }) => !BASE.test(base))
      .map(({ base }) => `is based on ${base}`),
    ...unless(
      stages.some(({ lines }) => lines.some((line) => CHECKS_VERSION.test(line))),
      'may run another version of Node than the tag says',
    ),
    ...copies
      .filter(([from]) => !from!.startsWith('--from='))
      .map(([path]) => `holds ${path} of the context`),
    ...unless(
      /npm ci --omit=dev --ignore-scripts [^&]*&& rm -r node_modules\/typescript/.test(installer),
      'holds what only builds',
    ),
    ...unless(!installer.includes('--omit=optional'), 'lacks the decoder of images'),
    ...unless(/npm uninstall [^&]*\bnode\b/.test(installer), 'holds the package node'),
    ...unless(/rm -r [^&]*\bdist\/libs\/embedded-postgres\b/.test(text), 'holds the embedded database'),
    ...['libs', 'migrations']
      .filter((folder) => !copies.some((parts) => parts.at(-1) === folder))
      .map((folder) => `lacks the SQL of ${folder}`),
    ...unless(
      copies.some((parts) => parts.at(-1) === 'packages/ballot'),
      'lacks the package of encrypted ballots',
    ),
    ...unless(find('ENV').includes('NODE_ENV=production'), 'does not run as in production'),
    ...unless(listOf(find('ENTRYPOINT')[0]).join() === 'node', 'does not run node as its first process'),
    ...unless(isBuilt(listOf(find('CMD')[0])[0] ?? ''), 'runs a file that is not built'),
    ...unless(find('STOPSIGNAL')[0] === 'SIGTERM', 'does not stop by SIGTERM'),
    ...unless(find('EXPOSE')[0] === `${port} ${workerPort}`, 'exposes other ports'),
    ...users
      .map(({ spec }) => spec.template.spec.securityContext)
      .filter(({ runAsUser, runAsGroup }) => user !== `${runAsUser}:${runAsGroup}`)
      .map(({ runAsUser }) => `runs as ${user}, and in Kubernetes as ${runAsUser}`),
  ];
}

/** Files in the build context, according to .dockerignore. */
const given = textOf('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

const BASE_LINE = /node:24\S+/.exec(DOCKERFILE)![0];

describe('The Dockerfile', () => {
  it('has no errors for the linter', () => {
    expect(validate(DOCKERFILE)).toEqual([]);
    expect(validate(DOCKERFILE.replace('STOPSIGNAL', 'STOPSIGNALS'))).toMatchObject([
      { message: 'Unknown instruction: STOPSIGNALS' },
    ]);
    expect(validate(DOCKERFILE.replace('COPY apps apps', 'COPY apps'))).not.toEqual([]);
  });

  it('makes an image with only the files that run', () => {
    expect(faultsOf(DOCKERFILE)).toEqual([]);
    // `--omit=dev` leaves out the programs of the embedded database.
    expect(Object.keys(devDependencies)).toContain('embedded-postgres');
  });

  it.each<[fault: string, from: string, to: string]>([
    [`is based on ${BASE_LINE.replace('24.21.0', '24.20.0')}`, 'node:24.21.0', 'node:24.20.0'],
    ['is based on node:24.21.0-trixie-slim', /@sha256:\w+/.exec(BASE_LINE)![0], ''],
    ['may run another version of Node than the tag says', 'RUN node --eval', 'RUN true'],
    ['is based on node', 'FROM base\n', 'FROM node\n'],
    ['holds . of the context', 'COPY --from=build /app/dist dist', 'COPY . .'],
    ['holds what only builds', '=dependencies /app/node_modules', '=build /app/node_modules'],
    ['holds what only builds', ' --omit=dev', ''],
    ['holds what only builds', 'rm -r node_modules/typescript', 'true'],
    ['lacks the decoder of images', '-workspace-root && rm', '-workspace-root --omit=optional && rm'],
    ['holds the package node', '--no-workspaces node', '--no-workspaces helmet'],
    ['holds the embedded database', ' dist/libs/embedded-postgres', ''],
    ['lacks the SQL of libs', 'COPY --from=build /app/libs libs\n', ''],
    ['lacks the SQL of migrations', 'COPY --from=build /app/migrations migrations\n', ''],
    [
      'lacks the package of encrypted ballots',
      'COPY --from=build /app/packages/ballot packages/ballot\n',
      '',
    ],
    ['does not run as in production', 'NODE_ENV=production', 'NODE_ENV=test'],
    ['does not run node as its first process', 'ENTRYPOINT ["node"]', 'ENTRYPOINT node'],
    ['runs a file that is not built', 'CMD ["dist/apps/partner-api', 'CMD ["dist/apps/api'],
    ['does not stop by SIGTERM', 'STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGQUIT'],
    ['exposes other ports', 'EXPOSE 3000 3001', 'EXPOSE 8080'],
    ['runs as node, and in Kubernetes as 1000', 'USER 1000:1000', 'USER node'],
  ])('a changed file reports "%s"', (fault, from, to) => {
    const changed = DOCKERFILE.replace(from, to);
    expect(changed).not.toBe(DOCKERFILE);
    expect(faultsOf(changed)).toContain(fault);
  });

  it('copies existing files that .dockerignore does not exclude, and all files of the context', () => {
    const copied = stagesOf(DOCKERFILE)
      .flatMap(({ lines }) => lines)
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    const isPart = (path: string): boolean => copied.some((whole) => path.startsWith(`${whole}/`));
    expect(copied.filter((path) => !isPart(path)).sort()).toEqual(given.sort());
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('builds folders that import only each other', () => {
    const folders = given.filter((path) => !path.includes('.'));
    expect(folders.sort()).toEqual(['apps', 'libs', 'migrations', 'packages/ballot']);
    const outside = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
        .flatMap((file) => {
          const imports = textOf(join(folder, file)).matchAll(/(?:from|import|require\() ?'(\.[^']+)'/g);
          const paths = [...imports].map(([, path]) => relative('.', join(folder, dirname(file), path!)));
          return paths.filter((path) => !folders.some((one) => path.startsWith(`${one}/`)));
        }),
    );
    expect(outside).toEqual([]);
  });

  it('copies all folders that its build includes', () => {
    const { include } = JSON.parse(textOf('tsconfig.product.json')) as { include: string[] };
    expect(include.length).toBeGreaterThan(0);
    expect(include.filter((folder) => !given.includes(folder))).toEqual([]);
  });
});
