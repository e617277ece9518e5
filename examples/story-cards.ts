import type { AdhesionV2Item, Partenaire, Plateforme } from '@mandat/client';
import { must, refusal } from './checks';
import { HORAIRE, type EmployeV2 } from './employments';
import { SIGNERS } from './leftovers';
import type { Receiver } from './receiving';
import { runKey } from './run-key';
import { count, say, title } from './screen';

// Signed cards: the platform's page signs; the partner receives an event, reads the card, decides a request, and
// deletes.

const SIGN = '/plateforme/v1/adhesions';
const CARDS = '/b2b/v2/adhesion';
const CONCILIATION = '/b2b/v2/conciliation';
/** A handwritten "M", as drawn on the signing page. */
const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADAAAAAYCAAAAACZliEAAAAAd0lEQVR42sWUWQ6AIAwFe4i5/1VxQfBRRcAQ5auhMyRdgoXBY18K6D1tAQRiXKAtyLNrNF/YaDSmJUipPULMc4knCicKT6OwclC4uC5IPwlvBWfE6ZvL6U7g8H4BEp6F270+2it0Eiod3Asq6CxUFs3DPcIPn8AC8iH+1gEwiMgAAAAASUVORK5CYII=';

/** @returns a line for the summary */
export async function storyCards(
  partner: Partenaire,
  platform: Plateforme,
  member: EmployeV2,
  receiver: Receiver | undefined,
): Promise<string> {
  const syndicat = member.Adhesions[0]!.SyndicatIdExterne;
  const card = await sign(platform, member, syndicat);
  const heard = receiver ? await hear(receiver, card) : 'no webhook';
  await readBack(partner, card);
  await decide(partner, platform, member, syndicat);
  await clear(partner, member);
  return `Cards: 2 signed, 1 by an unknown person identified later; ${heard}; deleted again.`;
}

async function sign(
  platform: Plateforme,
  member: EmployeV2,
  syndicatIdExterne: string,
): Promise<AdhesionV2Item> {
  title('A member signs a card on the screen', `POST ${SIGN}   with the platform's key`);
  const signing = {
    employeIdExterne: member.IdExterne,
    syndicatIdExterne,
    prenom: String(member.Prenom),
    nom: String(member.Nom),
    courriel: SIGNERS.member,
    ville: 'Gaspé',
    imageSignature: IMAGE,
    valeursChampUtilisateur: [{ NomChamp: HORAIRE.nom, Valeur: HORAIRE.choix[0].idExterne }],
  };
  const spoiled = { ...signing, imageSignature: IMAGE.slice(0, -24) };
  const { errors } = await refusal(platform.signing.sign({ body: spoiled }));
  say(`A cut image: 400, ${errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}`);
  const { data, response } = await platform.signing.sign({ body: signing, headers: runKey('sign') });
  must('idUniqueAdhesion' in data && data.employeIdExterne === member.IdExterne, 'a card of the member');
  say(
    `${response.status}: card of ${data.employeIdExterne} for ${data.syndicatNom}, as signed in ${data.ville}`,
  );
  return data;
}

async function hear(receiver: Receiver, card: AdhesionV2Item): Promise<string> {
  title('The partner receives the event', 'adhesion.signee');
  const event = await receiver.next('adhesion.signee');
  must(JSON.stringify(event.data).includes(card.idUniqueAdhesion), 'the event of another card');
  must(receiver.refused === 0, 'a delivery with an invalid signature');
  say(`${event.type} ${event.id}, verified: the card ${card.idUniqueAdhesion}`);
  return 'announced by a signed webhook';
}

async function readBack(partner: Partenaire, card: AdhesionV2Item): Promise<void> {
  title('The partner reads it', `GET ${CARDS}?apres=…&aSignatureManuscrite=true`);
  const { employeIdExterne: idExterne, dateSignature: apres } = card;
  const query = { apres, aSignatureManuscrite: true, idExterneEmploye: idExterne };
  const { data } = await partner.adhesionsV2.list({ query });
  must(data[0]?.idUniqueAdhesion === card.idUniqueAdhesion, 'the card that was signed');
  const image = await partner.signatureImages.readLatest({ path: { idExterne: idExterne } });
  must(image.data.imageSignature === IMAGE, 'the image, byte for byte');
  say(`${count(data.length)} card since then; its image, byte for byte as drawn, now in the audit trail`);
}

async function decide(
  partner: Partenaire,
  platform: Plateforme,
  member: EmployeV2,
  syndicatIdExterne: string,
): Promise<void> {
  title('The partner identifies an unknown signer', `POST ${CONCILIATION}/{id}/confirmer`);
  const stranger = { syndicatIdExterne, prenom: 'M.-E.', nom: 'Inconnue', courriel: SIGNERS.stranger };
  const { data: demande, response } = await platform.signing.sign({
    body: stranger,
    headers: runKey('stranger'),
  });
  must('demandeId' in demande, 'a request and no card');
  say(`${response.status}: ${demande.statut}, no card yet`);
  const confirm = { path: { id: demande.demandeId }, body: { idExterne: member.IdExterne } };
  const answers = await Promise.all([1, 2, 3].map(() => partner.conciliation.confirm(confirm)));
  const cards = new Set(answers.map(({ data }) => data.adhesionId));
  must(cards.size === 1, 'one card for several confirmations');
  say(`confirmed three times at once as ${answers[0]!.data.idExterne}: ${count(cards.size)} card`);
}

async function clear(partner: Partenaire, member: EmployeV2): Promise<void> {
  title('Deleting the cards again', `DELETE ${CARDS}/membre/{idExterneMembre}`);
  const held = await refusal(partner.employes.delete({ path: { idExterne: member.IdExterne } }));
  say(`The employee cannot be deleted before the cards: ${held.status} ${held.code}`);
  const { data } = await partner.adhesionsV2.deleteOfMember({ path: { idExterneMembre: member.IdExterne } });
  must(data.nombreSupprime === 2, 'two deleted cards');
  say(`${count(data.nombreSupprime)} cards deleted permanently`);
}
