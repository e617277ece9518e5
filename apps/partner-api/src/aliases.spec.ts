import type { Request, Response } from 'express';
import { rewriteAliases } from './aliases';
import { words } from '../../../test/setup/words';

function rewritten(url: string): { url: string; passedOn: number } {
  const request = { url } as Request;
  let passedOn = 0;
  rewriteAliases(request, {} as Response, () => passedOn++);
  return { url: request.url, passedOn };
}

describe('rewriteAliases', () => {
  it.each([
    // V2 under the prefix of the release notes, in singular and plural.
    ['/api/b2b/v2/sync', '/b2b/v2/sync'],
    ['/api/b2b/v2/employe/E-1', '/b2b/v2/employe/E-1'],
    ['/api/b2b/v2/employes', '/b2b/v2/employe'],
    ['/api/b2b/v2/employes/E-1?limite=5', '/b2b/v2/employe/E-1?limite=5'],
    ['/api/b2b/v2/adhesions?idExterneEmploye=E-1', '/b2b/v2/adhesion?idExterneEmploye=E-1'],
    ['/api/b2b/v2/adhesions/7', '/b2b/v2/adhesion/7'],
    // V1 employees.
    ['/api/b2b/employes', '/b2b/v1/employe'],
    ['/api/b2b/employes/', '/b2b/v1/employe/'],
    ['/api/b2b/employes?limite=5', '/b2b/v1/employe?limite=5'],
    ['/api/b2b/employes/sync', '/b2b/v1/employe/sync'],
    // Only the beginning is replaced, once, and what follows stays as it was sent.
    ['/api/b2b/employes/%2Fapi%2Fb2b%2Femployes', '/b2b/v1/employe/%2Fapi%2Fb2b%2Femployes'],
    ['/api/b2b/employes/employes$&$1', '/b2b/v1/employe/employes$&$1'],
    ['/api/b2b/employes?a=/api/b2b/employes', '/b2b/v1/employe?a=/api/b2b/employes'],
  ])('%s runs as %s', (alias, path) => {
    expect(rewritten(alias)).toEqual({ url: path, passedOn: 1 });
  });

  it.each(
    words(`
    /b2b/v1/employe /b2b/v2/employes /api/b2b/v1/employe /api/b2b/employe /api/b2b/employesX
    /api/b2b/v2x/sync /api/b2b/v22/sync /x/api/b2b/employes /x?next=/api/b2b/employes
    /api/admin/v1/clients /
  `),
  )('%s stays as it is', (path) => {
    expect(rewritten(path)).toEqual({ url: path, passedOn: 1 });
  });
});
