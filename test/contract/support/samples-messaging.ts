import { ifNoneMatch, type Sample, type Samples } from './sample';
import type { Identifiers } from './spaces';

const COURRIEL = '/b2b/v2/courriel';
const BODY = { sujet: 'Assemblée', corpsHtml: '<p>Bonjour</p>' };

/** An operation on an email: the caller's own, another tenant's and an unknown one. */
function onCourriels(asked: Identifiers, own: Identifiers, end = ''): Sample[] {
  return [own.courriel, asked.courriel, asked.courrielVotants, asked.campagne, asked.adhesion].map((id) => ({
    path: `${COURRIEL}/${id}${end}`,
  }));
}

/** Emails and their recipients. */
export const MESSAGING_SAMPLES: Readonly<Record<string, Samples>> = {
  'POST /b2b/v2/courriel': (asked, own) =>
    [
      { idExternes: [asked.employe] },
      { idExternes: [own.employe, asked.employeV2] },
      { idExternes: [asked.idUniqueEmploye] },
      { campagneId: asked.campagne, cible: 'tous' },
      { campagneId: asked.campagne, cible: 'nonVotants' },
      { campagneId: asked.adhesion, cible: 'tous' },
    ].map((destinataires) => ({ path: COURRIEL, body: { destinataires, ...BODY } })),
  'GET /b2b/v2/courriel/:id': (asked, own) => [
    ...onCourriels(asked, own),
    ifNoneMatch(`${COURRIEL}/${asked.courriel}`, asked.etagCourriel),
  ],
  'GET /b2b/v2/courriel/:id/destinataires': (asked, own) => [
    ...onCourriels(asked, own, '/destinataires'),
    ...[
      '?etat=EnAttente',
      `?curseur=${asked.curseurDestinataires}`,
      `?limite=1&curseur=${asked.curseurDestinataires}`,
    ].map((query) => ({ path: `${COURRIEL}/${own.courriel}/destinataires${query}` })),
  ],
};
