/**
 * SQL of the line of a voter `v` in the roll of a bundle: canonical JSON (docs/verification.md, "liste.bin").
 *
 * @param sel SQL of a further property `Sel`, which the leaf does not have
 */
export const rollLine = (
  sel?: string,
): string => `'{"ADroitDeVote":' || v.a_droit_de_vote || ',"AVote":' || v.a_vote
  || ',"EmployeurIdentifiantExterne":' || coalesce(to_json(v.employeur_identifiant_externe)::text, 'null')
  || ',"Poids":"' || trim_scale(v.poids) || '"${sel ? `,"Sel":"' || ${sel} || '"` : ''},"SyndicatIdExterne":' || coalesce(to_json(v.syndicat_id_externe)::text, 'null')
  || ',"VotantId":"' || v.id_unique || '"}'`;

/** SQL of the salt of a voter `v`, of 32 bytes. @param sel SQL of the secret of the campaign, of 32 bytes */
export const rollSalt = (sel: string): string => `sha256(${sel} || uuid_send(v.id_unique))`;

/** SQL of the leaf of a voter `v`. */
export const rollLeaf = (sel: string): string =>
  `sha256('\\x00'::bytea || ${rollSalt(sel)} || convert_to(${rollLine()}, 'UTF8'))`;
