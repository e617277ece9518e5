import { ConfigError } from './config-error';
import { serversOf } from './database-servers';

describe('serversOf', () => {
  it.each([
    ['postgres://db/mandat', ['postgres://db/mandat'], false],
    [
      'postgres://u:p@db:5433/mandat?sslmode=require',
      ['postgres://u:p@db:5433/mandat?sslmode=require'],
      false,
    ],
    ['postgres://db/mandat?target_session_attrs=any', ['postgres://db/mandat'], false],
    ['postgres://db/mandat?target_session_attrs=read-write', ['postgres://db/mandat'], true],
    [
      'postgresql://u:a%40,b@one:5432,other/mandat?target_session_attrs=read-write&sslmode=verify-full',
      [
        'postgresql://u:a%40,b@one:5432/mandat?sslmode=verify-full',
        'postgresql://u:a%40,b@other/mandat?sslmode=verify-full',
      ],
      true,
    ],
    [
      'postgres://u@[::1]:5432,[::2]/mandat?sslmode=disable&target_session_attrs=read-write',
      ['postgres://u@[::1]:5432/mandat?sslmode=disable', 'postgres://u@[::2]/mandat?sslmode=disable'],
      true,
    ],
  ])('%s names %j', (url, urls, primaryOnly) => {
    expect(serversOf(url)).toEqual({ urls, primaryOnly });
  });

  it.each([
    ['postgres://one,other/mandat', /several servers/],
    ['postgres://one,other/mandat?target_session_attrs=any', /several servers/],
    ['postgres://one/mandat?target_session_attrs=standby', /read-write or any/],
    ['postgres://one,/mandat?target_session_attrs=read-write', /with or without a port/],
    ['postgres://one:x,other/mandat?target_session_attrs=read-write', /with or without a port/],
  ])('rejects %s', (url, message) => {
    const read = (): unknown => serversOf(url);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
  });
});
