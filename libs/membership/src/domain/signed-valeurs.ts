import type { InputFault } from '#platform/errors/domain-error';
import type { ValeurRecord } from './employe-v2.fields';
import { type ChampDefinition, readValeur, type ValeurPresente, valeurV1 } from './valeur-champ';
import { fr, type Text } from '#platform/errors/text';
import { GIVEN_TWICE, NAMES_NO } from './membership.errors';

/**
 * Maximum total size of a signing's values, in bytes of UTF-8. The card, its event and each of its consents have all of them.
 */
const MOST_BYTES = 65_536;

/** Maximum size of the values in all consents of a signing, in bytes of JSON. Each consent has all of them. */
const MOST_REPEATED_BYTES = 4_194_304;

/** The values of a signing by their fields, in the order sent. */
export type SignedValeurs = ReadonlyMap<ChampDefinition, ValeurPresente>;

/** Returns the fault of values that are too large together, by the sent values alone; undefined if they are not. */
export function signedValeursFault(sent: readonly ValeurRecord[]): InputFault | undefined {
  const bytes = sent.reduce((sum, { Valeur }) => sum + Buffer.byteLength(Valeur ?? ''), 0);
  if (bytes <= MOST_BYTES) return undefined;
  const [most, is] = [MOST_BYTES, bytes].map((count) => count.toLocaleString('en'));
  const detail = {
    en: `must have at most ${most} bytes of UTF-8 together, and have ${is}. Shorten values, or leave some out`,
    fr: fr`doivent avoir au plus ${MOST_BYTES} octets en UTF-8 ensemble, et en ont ${bytes}. Raccourcissez des valeurs, ou omettez-en`,
  };
  return { pointer: '/valeursChampUtilisateur', code: 'length', detail };
}

/**
 * Reads the values that a member gives with a signature; an empty one stands for none.
 *
 * @param mandatory names of the fields that must have a value
 * @param faults receives what is wrong, under the pointer `/valeursChampUtilisateur`
 */
export function readSignedValeurs(
  champs: ReadonlyMap<string, ChampDefinition>,
  sent: readonly ValeurRecord[],
  mandatory: ReadonlySet<string>,
  faults: InputFault[],
): SignedValeurs {
  const read = new Map<ChampDefinition, ValeurPresente>();
  const names = new Set<string>();
  for (const [index, { NomChamp, Valeur }] of sent.entries()) {
    const fault = (property: string, code: string, detail: Text): unknown =>
      faults.push({ pointer: `/valeursChampUtilisateur/${index}/${property}`, code, detail });
    const champ = champs.get(NomChamp);
    if (!champ) fault('NomChamp', 'reference', NAMES_NO.champ);
    else if (names.has(NomChamp)) fault('NomChamp', 'duplicate', GIVEN_TWICE);
    else {
      names.add(NomChamp);
      if (Valeur == null) continue;
      const valeur = readValeur(champ, Valeur);
      if ('fault' in valeur) fault('Valeur', 'type', valeur.fault);
      else if (!valeur.removed) read.set(champ, valeur);
    }
  }
  for (const nom of mandatory) {
    const champ = champs.get(nom);
    // An invalid value has been reported already.
    const isEmpty =
      champ && !read.has(champ) && !sent.some((one) => one.NomChamp === nom && one.Valeur != null);
    if (isEmpty) {
      const detail = {
        en: `must give a value of ${nom}, which the form demands`,
        fr: fr`doivent donner une valeur de ${nom}, que le formulaire demande`,
      };
      faults.push({ pointer: '/valeursChampUtilisateur', code: 'required', detail });
    }
  }
  return read;
}

/** Returns the fault of values that are too large in `consents` consents together, in a list that is empty otherwise. */
export function repeatedValeursFaults(valeurs: SignedValeurs, consents: number): InputFault[] {
  const one = [...valeurs].map(([champ, valeur]) => valeurV1(champ, valeur));
  const bytes = consents * Buffer.byteLength(JSON.stringify(one));
  if (one.length === 0 || bytes <= MOST_REPEATED_BYTES) return [];
  const [most, is] = [MOST_REPEATED_BYTES, bytes].map((count) => count.toLocaleString('en'));
  const detail = {
    en: `each has all custom values, which are ${is} bytes of JSON together, and may be ${most}. Shorten values, or send fewer consents`,
    fr: fr`chacun a toutes les valeurs de champs utilisateur, qui font ensemble ${bytes} octets de JSON, pour un maximum de ${MOST_REPEATED_BYTES}. Raccourcissez des valeurs, ou envoyez moins de consentements`,
  };
  return [{ pointer: '/consentements', code: 'length', detail }];
}
