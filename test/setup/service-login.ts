import { SERVICE_LOGIN } from '../../libs/platform/src/database/service-login';
import { Config } from '../../libs/platform/src/ops/config';

/** Password of the processes' login, on the server of the tests. */
export const SERVICE_PASSWORD = 'of-the-tests';

/**
 * Returns the URL of the same database with the login of the processes, because tests run them with the rights of
 * production. Returns a URL unchanged if it does not name the server's superuser.
 */
export function asService(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  // Several servers, which trials name with the login of the processes.
  if (!url || url.username !== new URL(process.env.TEST_DATABASE_URL!).username) return databaseUrl;
  url.username = SERVICE_LOGIN;
  url.password = SERVICE_PASSWORD;
  return url.href;
}

/** The configuration with the login of the processes in every database. */
export function withServiceLogin(config: Config): Config {
  const cells = [...config.cells].map(([name, url]) => [name, asService(url)] as const);
  const standbys = [...config.standbys].map(([url, urls]) => [asService(url), urls] as const);
  return new Config({
    ...config,
    databaseUrl: asService(config.databaseUrl),
    cells: new Map(cells),
    standbys: new Map(standbys),
  });
}
