import { SERVICE_LOGIN } from '../../libs/shared/src/database/service-login';

/** Password of the processes' login, on the server of the tests. */
export const SERVICE_PASSWORD = 'of-the-tests';

/**
 * The same database for the login of the processes, which owns nothing: tests run them as production does. A URL that does not
 * name the superuser of the server stays as it is.
 */
export function asService(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  if (url.username !== new URL(process.env.TEST_DATABASE_URL!).username) return databaseUrl;
  url.username = SERVICE_LOGIN;
  url.password = SERVICE_PASSWORD;
  return url.href;
}
