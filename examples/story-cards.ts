import { must, refusal } from './checks';
import type { Client } from './client';
import { HORAIRE, type EmployeV2 } from './employments';
import { runKey } from './run-key';
import { count, say, title } from './screen';

// Signed cards: the platform's signing page signs, the partner reads, decides about a stranger, and deletes again.

const SIGN = '/plateforme/v1/adhesions';
const CARDS = '/b2b/v2/adhesion';
const CONCILIATION = '/b2b/v2/conciliation';
/** A handwritten "M", as the signing page draws it. */
const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADAAAAAYCAAAAACZliEAAAAAd0lEQVR42sWUWQ6AIAwFe4i5/1VxQfBRRcAQ5auhMyRdgoXBY18K6D1tAQRiXKAtyLNrNF/YaDSmJUipPULMc4knCicKT6OwclC4uC5IPwlvBWfE6ZvL6U7g8H4BEp6F270+2it0Eiod3Asq6CxUFs3DPcIPn8AC8iH+1gEwiMgAAAAASUVORK5CYII=';

interface Card {
  readonly idUniqueAdhesion: string;
  readonly dateSignature: string;
  readonly aSignatureManuscripte: boolean;
  readonly syndicatNom: string;
  readonly employeIdExterne: string;
  readonly ville: string | null;
}

/** @returns a line for the summary */
export async function storyCards(
  partner: Client,
  platform: Client | undefined,
  member: EmployeV2,
): Promise<string> {
  if (!platform) {
    title('Signed cards');
    say('Not shown: that takes a key of the platform, MANDAT_PLATFORM_KEY.');
    return 'Cards: not shown.';
  }
  const syndicat = member.Adhesions[0]!.SyndicatIdExterne;
  const card = await sign(platform, member, syndicat);
  await readBack(partner, card);
  await decide(partner, platform, member, syndicat);
  await clear(partner, member);
  return 'Cards: 2 signed, 1 of them by a stranger whom the partner recognised; deleted again.';
}

async function sign(platform: Client, member: EmployeV2, syndicatIdExterne: string): Promise<Card> {
  title('A member signs a card, by hand', `POST ${SIGN}   with the platform's key`);
  const signing = {
    employeIdExterne: member.IdExterne,
    syndicatIdExterne,
    prenom: member.Prenom,
    nom: member.Nom,
    courriel: 'signature@example.org',
    ville: 'Gaspé',
    imageSignature: IMAGE,
    valeursChampUtilisateur: [{ NomChamp: HORAIRE.nom, Valeur: HORAIRE.choix[0].idExterne }],
  };
  const spoiled = { ...signing, imageSignature: IMAGE.slice(0, -24) };
  const { errors } = await refusal(platform.post(SIGN, spoiled));
  say(`A cut image: 400, ${errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}`);
  const { status, body } = await platform.post<Card>(SIGN, signing, runKey('sign'));
  must(body.employeIdExterne === member.IdExterne, 'a card of the member');
  say(`${status}: card of ${body.employeIdExterne} for ${body.syndicatNom}, as signed in ${body.ville}`);
  return body;
}

async function readBack(partner: Client, card: Card): Promise<void> {
  title('The partner reads it', `GET ${CARDS}?apres=…&aSignatureManuscrite=true`);
  const { body } = await partner.get<Card[]>(
    `${CARDS}?apres=${card.dateSignature}&aSignatureManuscrite=true&idExterneEmploye=${card.employeIdExterne}`,
  );
  must(body[0]?.idUniqueAdhesion === card.idUniqueAdhesion, 'the card that was signed');
  const path = `/b2b/employe/${card.employeIdExterne}/derniere-image-signature`;
  const image = await partner.get<{ imageSignature: string }>(path);
  must(image.body.imageSignature === IMAGE, 'the image, byte for byte');
  say(`${count(body.length)} card since then; its image, byte for byte as drawn, now in the audit trail`);
}

async function decide(
  partner: Client,
  platform: Client,
  member: EmployeV2,
  syndicatIdExterne: string,
): Promise<void> {
  title('A stranger signs, and the partner says who it is', `POST ${CONCILIATION}/{id}/confirmer`);
  const stranger = { syndicatIdExterne, prenom: 'M.-E.', nom: 'Inconnue', courriel: 'me@example.org' };
  const { body: demande } = await platform.post<{ demandeId: string; statut: string }>(
    SIGN,
    stranger,
    runKey('stranger'),
  );
  say(`201: ${demande.statut}, no card yet`);
  const path = `${CONCILIATION}/${demande.demandeId}/confirmer`;
  const answers = await Promise.all(
    Array.from({ length: 3 }, () =>
      partner.post<{ idExterne: string; adhesionId: string }>(path, { idExterne: member.IdExterne }),
    ),
  );
  const cards = new Set(answers.map(({ body }) => body.adhesionId));
  must(cards.size === 1, 'one card, however often it is confirmed');
  say(`confirmed three times at once as ${answers[0]!.body.idExterne}: ${count(cards.size)} card`);
}

async function clear(partner: Client, member: EmployeV2): Promise<void> {
  title('Deleting the cards again', `DELETE ${CARDS}/membre/{idExterneMembre}`);
  const held = await refusal(partner.delete(`/b2b/v1/employe/${member.IdExterne}`));
  say(`The employee cannot go before: ${held.status} ${held.code}`);
  const { body } = await partner.delete<{ nombreSupprime: number }>(`${CARDS}/membre/${member.IdExterne}`);
  must(body.nombreSupprime === 2, 'two deleted cards');
  say(`${count(body.nombreSupprime)} cards deleted, for good`);
}
