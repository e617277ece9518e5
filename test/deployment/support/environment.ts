import { loadConfig } from '#platform/ops/load-config';
import type { Reader } from '#platform/ops/process-name';

/** Valid sample values for secrets and for addresses of other machines. */
export const SAMPLE_SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://mandat@db.example.org/mandat',
  MIGRATION_DATABASE_URL: 'postgres://owner@db.example.org/mandat',
  ADMIN_API_KEY: 'a'.repeat(32),
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  DOSSIER_SIGNING_KEY: Buffer.alloc(32, 8).toString('base64'),
  SMTP_URL: 'smtp://mail.example.org',
  password: 'of-the-test',
};

/** The variables that a process reads; those of all processes if none is named. */
export function readVariables(...readers: Reader[]): Set<string> {
  const asked = new Set<string>();
  const spy = new Proxy<NodeJS.ProcessEnv>(
    { ...SAMPLE_SECRETS, MAIL_FROM: 'a@example.org' },
    {
      get: (variables, name: string) => {
        asked.add(name);
        return variables[name];
      },
    },
  );
  for (const reader of readers.length > 0 ? readers : (['api', 'worker', 'cli'] as const))
    loadConfig(spy, reader);
  return asked;
}
