/** Words of English and anglicisms (Office québécois de la langue française), and what is written instead. */
const ANGLICISMS: Readonly<Record<string, string>> = {
  'e-?mails?': 'courriel',
  'endpoints?': 'webhook, point de terminaison',
  'invalides?': 'non valide',
  'support(é|er|ée)s?': 'pris en charge',
  canceller: 'annuler',
  checker: 'vérifier',
  'définitivement pas': 'certainement pas',
  digital: 'numérique',
  'en termes de': 'quant à',
  'éligibles?': 'admissible',
  'headers?': 'en-tête',
  'initi(er|é|ée)': 'commencer',
  'jobs?': 'tâche',
  locker: 'verrouiller',
  'sync(s|er)?': 'synchronisation',
  'tokens?': 'jeton',
  'upload(er)?': 'téléverser',
  'updat(e|er)': 'mettre à jour',
  'via|tenants?|backups?|bugs?|batchs?|parser|feedback|default|string|array|body|login': 'un mot français',
};

/** Words that lost an accent. Names of properties begin with a capital letter, or are in code. */
const WITHOUT_ACCENT =
  'adhesions?|apres|cle|cles|deja|delai|donnees|electorale|employes?|enregistres?|etat|etre|evenements?|meme|modifiee?|non trouve|numero|prenom|refusee?|reponses?|requetes?|role|seance|succes|tache|tres|verifier?';

/** Text that is not French: code, paths, addresses, names of headers with a value, JSON, lists of names. */
const CODE =
  /`[^`]*`|<[^>]*>|&\w+;|https?:\/\/…?|data:image\S*|\S*\/\S*|[\w-]+: (?=application|text|true|respond)|"[^"]*"(?:: true)?|(?<=les noms connus sont )[^;]*|(?<=le nom le plus proche est )\S*/g;

/** Returns what is wrong with a French text: typography, anglicisms, words without their accents. */
export function frenchFaults(text: string): string[] {
  const prose = text.replaceAll(CODE, 'X');
  const word = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\d_-])(?:${words})(?![\\p{L}\\d_-])`, 'u');
  const wrong: [fault: string, pattern: RegExp][] = [
    ['a straight apostrophe', /\p{L}'\p{L}/u],
    ['English quotes', /[“”"]/],
    ['a sign without a space that does not break', /[^\s\d\u00a0][:»](?!\w)| [:»]|«(?!\u00a0)/],
    ['a space before a sign that has none', /\s[,.;!?](?![.\u00a0])/],
    ['two spaces', /[ \u00a0]{2}/],
    ['thousands without a space that does not break', /\d[ ,]\d{3}(?!\d)/],
    ['a space at an end that does not break', /^\u00a0(?![:»])/],
    ...Object.entries(ANGLICISMS).map(([english, french]): [string, RegExp] => [
      `${english}: write ${french}`,
      word(english),
    ]),
    ['a word without its accent', word(WITHOUT_ACCENT)],
    [
      '“le” or “la” before a vowel',
      word('(?:[Ll]e|[Ll]a|[Dd]e|[Qq]ue|[Jj]usque) (?=[aâeéèêiîouœ]\\p{L}+)\\p{Ll}+'),
    ],
    ['a contraction that is missing', word('à le|à les|de le|de les')],
  ];
  return wrong.flatMap(([fault, pattern]) => {
    const found = pattern.exec(prose)?.[0];
    return found === undefined ? [] : [`${fault}: ${found}`];
  });
}
