import type { Answer } from '../../setup/test-app';

/** Identifiers, ETags and cursors of a tenant's emails. */
export interface MessagingIdentifiers {
  /** An email to two employees. */
  readonly courriel: string;
  /** An email to the voters of a campaign. */
  readonly courrielVotants: string;
  readonly etagCourriel: string;
  readonly curseurDestinataires: string;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const COURRIEL = '/b2b/v2/courriel';

/**
 * Creates emails, which no worker sends.
 *
 * @param secret put into texts that only this tenant may read
 */
export async function writeAll(
  send: Send,
  cursor: (path: string) => Promise<string>,
  { employes, campagne, secret }: { employes: readonly string[]; campagne: string; secret: string },
): Promise<MessagingIdentifiers> {
  const written = async (destinataires: object): Promise<string> => {
    const email = { destinataires, sujet: `Sujet ${secret}`, corpsHtml: `<p>Corps ${secret}</p>` };
    return (await send('POST', COURRIEL, email)).json.id as string;
  };
  const courriel = await written({ idExternes: employes });
  return {
    courriel,
    courrielVotants: await written({ campagneId: campagne, cible: 'tous' }),
    etagCourriel: (await send('GET', `${COURRIEL}/${courriel}`)).headers.get('etag')!,
    curseurDestinataires: await cursor(`${COURRIEL}/${courriel}/destinataires`),
  };
}
