import { ChoiceError, seal } from '@mandat/ballot';

// The platform serves `vote`: {VotantId, titre, scrutin}. `scrutin` is the answer of GET /plateforme/v1/campagnes/{id}/scrutin. The page
// shows its words, which are part of every proof. It passes on what is sent to `bulletins`, with its key.
const { VotantId, titre, scrutin } = await (await fetch('vote')).json();
let sealed;

const element = (id) => document.getElementById(id);
const show = (...shown) => {
  for (const id of ['choices', 'sealed', 'opened', 'done']) element(id).hidden = !shown.includes(id);
  element('message').textContent = '';
};

/** Lets the voter save a text without sending it anywhere. */
const offer = (link, text, type) => {
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type }));
};

document.querySelector('h1').textContent = titre;
const fields = scrutin.questions.map(({ Titre, Libelles }) => {
  const group = document.createElement('fieldset');
  const legend = document.createElement('legend');
  legend.textContent = Titre;
  const boxes = Libelles.map((libelle) => {
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    // Otherwise some browsers keep the field for the next visitor of the page.
    box.autocomplete = 'off';
    label.append(box, libelle);
    return label;
  });
  group.append(legend, ...boxes);
  element('questions').append(group);
  return boxes.map((label) => label.firstChild);
});

element('seal').onclick = () => {
  const choix = fields.map((boxes) => [...boxes.keys()].filter((place) => boxes[place].checked));
  try {
    sealed = seal(scrutin, VotantId, choix);
  } catch (error) {
    if (!(error instanceof ChoiceError)) throw error;
    const question = scrutin.questions[error.question];
    element('message').textContent =
      `${question.Titre}: from ${Math.max(1, question.MinReponses)} to ${question.MaxReponses}, or none.`;
    return;
  }
  element('receipt').textContent = sealed.recu;
  show('sealed');
};

element('audit').onclick = () => {
  offer(element('save-opened'), JSON.stringify(sealed.audit()), 'application/json');
  sealed = undefined;
  show('opened', 'choices');
};

element('cast').onclick = async () => {
  // Once cast, a ballot cannot be opened. If the request fails, the same ballot is sent again.
  const body = JSON.stringify(sealed.cast());
  element('audit').disabled = true;
  element('cast').disabled = true;
  const answer = await fetch('bulletins', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  }).catch(() => undefined);
  if (!answer?.ok) {
    element('cast').disabled = false;
    element('message').textContent = 'The ballot has not arrived. Cast it again.';
    return;
  }
  for (const box of fields.flat()) box.checked = false;
  offer(element('save-receipt'), `${scrutin.campagneId} ${sealed.recu}\n`, 'text/plain');
  localStorage.setItem(`receipt ${scrutin.campagneId}`, sealed.recu);
  sealed = undefined;
  show('done');
};
