import { invalidRequest } from '../errors/domain-error';
import { fr } from '../errors/text';

/**
 * The body of a PUT whose path names the resource: the body may repeat the name or leave it out.
 *
 * @throws DomainError `Requete.Invalide` where body and path name different things
 */
export function namedByPath<B extends object, K extends string>(
  body: B & { readonly [key in K]?: string | null },
  property: K,
  name: string,
): B & Record<K, string> {
  const said = body[property];
  if (said != null && said !== name) {
    const detail = {
      en: 'is not what the path names: it never changes',
      fr: fr("n'est pas ce que nomme le chemin : cette valeur ne change jamais"),
    };
    throw invalidRequest([{ pointer: `/${property}`, code: 'path', detail }]);
  }
  return { ...body, [property]: name };
}
