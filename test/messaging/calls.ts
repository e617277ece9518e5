import { EXAMPLE_COURRIEL_ID } from '../../libs/messaging/src';
import { type Calls, ifNoneMatch, type Sample } from '../contract/support/calls';
import type { Identifiers } from '../contract/support/spaces';
import { TO_VOTERS, WITHOUT_QUOTA, WITHOUT_VOTE, WITHOUT_VOTERS } from './support/held';

const COURRIEL = '/b2b/v2/courriel';
const BODY = { sujet: 'Assemblée', corpsHtml: '<p>Bonjour</p>' };

/** An operation on an email: the caller's own, another tenant's and an unknown one. */
function onCourriels(asked: Identifiers, own: Identifiers, end = ''): Sample[] {
  return [own.courriel, asked.courriel, asked.courrielVotants, asked.campagne, asked.adhesion].map((id) => ({
    path: `${COURRIEL}/${id}${end}`,
  }));
}

const NOTHING = '00000000-0000-4000-8000-000000000000';

const RETOURS = '/plateforme/v1/courriels/retours';

export const CALLS: Calls = {
  'POST /plateforme/v1/courriels/retours': {
    // No response shows the id of a recipient; test/messaging/bounces.e2e-spec.ts sends that of another tenant.
    foreign: (asked, own) =>
      [asked.courriel, asked.courrielVotants, asked.idUniqueEmploye, own.courriel].map((id) => ({
        path: RETOURS,
        body: [{ messageId: `<${id}@example.org>`, action: 'failed', statut: '5.1.1' }],
      })),
    more: {
      calls: [
        { body: 'Subject: Absente\r\n\r\nJe suis absente.', headers: { 'Content-Type': 'message/rfc822' } },
      ],
    },
  },
  'POST /b2b/v2/courriel': {
    foreign: (asked, own) =>
      [
        { idExternes: [asked.employe] },
        { idExternes: [own.employe, asked.employeV2] },
        { idExternes: [asked.idUniqueEmploye] },
        { campagneId: asked.campagne, cible: 'tous' },
        { campagneId: asked.campagne, cible: 'nonVotants' },
        { campagneId: asked.adhesion, cible: 'tous' },
      ].map((destinataires) => ({ path: COURRIEL, body: { destinataires, ...BODY } })),
    more: {
      changes: [
        { destinataires: { campagneId: NOTHING, cible: 'tous' } },
        { destinataires: { campagneId: WITHOUT_VOTERS, cible: 'nonVotants' } },
      ],
      calls: [
        {
          key: WITHOUT_VOTE,
          body: {
            destinataires: { campagneId: NOTHING, cible: 'tous' },
            sujet: 'Rappel',
            corpsHtml: '<p>Votez.</p>',
          },
        },
        {
          key: WITHOUT_QUOTA,
          body: { destinataires: { idExternes: ['E-1'] }, sujet: 'Rappel', corpsHtml: '<p>Votez.</p>' },
        },
      ],
    },
  },
  'GET /b2b/v2/courriel/:id': {
    foreign: (asked, own) => [
      ...onCourriels(asked, own),
      ifNoneMatch(`${COURRIEL}/${asked.courriel}`, asked.etagCourriel),
    ],
  },
  'GET /b2b/v2/courriel/:id/destinataires': {
    foreign: (asked, own) => [
      ...onCourriels(asked, own, '/destinataires'),
      ...[
        '?etat=EnAttente',
        `?curseur=${asked.curseurDestinataires}`,
        `?limite=1&curseur=${asked.curseurDestinataires}`,
      ].map((query) => ({ path: `${COURRIEL}/${own.courriel}/destinataires${query}` })),
    ],
    more: {
      calls: [
        { path: `${COURRIEL}/${EXAMPLE_COURRIEL_ID}/destinataires` },
        { path: `${COURRIEL}/${TO_VOTERS}/destinataires` },
        { key: WITHOUT_VOTE, path: `${COURRIEL}/${TO_VOTERS}/destinataires` },
      ],
    },
  },
};
