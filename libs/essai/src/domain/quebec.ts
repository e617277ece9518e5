/** Names, places and employers typical of Québec. The employers are invented, and `.example` domains do not exist. */

export interface Ville {
  readonly nom: string;
  /** The first three characters of its postal codes. */
  readonly prefixe: string;
  readonly indicatifs: readonly string[];
}

export interface Organisation {
  readonly idExterne: string;
  readonly nom: string;
  readonly domaine: string;
}

const list = (text: string): string[] => text.split(',').map((entry) => entry.trim());

const table = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));

/** Letters that Canadian postal codes use. */
export const POSTAL_LETTERS = [...'ABCEGHJKLMNPRSTVWXYZ'];

/** Returns a name as the part of an address, in lower case without accents. */
export function ascii(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{Mark}/gu, '');
  return plain.toLowerCase().replace(/[^a-z]+/g, '-');
}

export const PRENOMS = list(`
  Marie-Ève, Jean-François, Zoé, Mathéo, Émilie, Félix, Noémie, Étienne, Geneviève, François, Chloé, Rémi, Anaïs,
  Benoît, Maëlle, Loïc, Océane, Gaël, Éloïse, Jérôme, Hélène, Stéphane, Joëlle, Raphaël, Mégane, Frédéric, Maïka,
  Sébastien, Andréanne, Jérémie, Marie-Pier, Pierre-Luc, Anne-Marie, Marc-André, Marie-Josée, Charles-Étienne,
  Ève-Marie, Louis-Philippe, Marie-Soleil, Jean-Sébastien, Catherine, Guillaume, Isabelle, Alexandre, Julie, Nicolas,
  Sophie, Martin, Valérie, Simon, Annie, Patrick, Caroline, Olivier, Nathalie, Vincent, Mélanie, Maxime, Karine,
  Yannick, Sylvie, Hugo, Josée, Mathieu, Lise, Réjean, Ginette, Gaétan, Fatoumata, Mohamed, Thi Mai, Nguyen, Amélie,
  Ana-Lucía, Carlos, Yasmine, Ibrahim, D'Arcy, Uapikun, Siaja`);

/** The most common first: the generator draws them more often. */
export const NOMS = list(`
  Tremblay, Gagnon, Roy, Côté, Bouchard, Gauthier, Morin, Lavoie, Fortin, Gagné, Ouellet, Pelletier, Bélanger,
  Lévesque, Bergeron, Leblanc, Paquette, Girard, Simard, Boucher, Caron, Beaulieu, Cloutier, Dubé, Poirier, Fournier,
  Lapointe, Leclerc, Lefebvre, Poulin, Thibault, St-Pierre, Nadeau, Martel, Landry, Martin, Bédard, Grenier, Lessard,
  Bernier, Richard, Michaud, Hébert, Desjardins, Couture, Turcotte, Lachance, Parent, Blais, Gosselin, Savard, Proulx,
  Beaudoin, Demers, Perreault, Boudreau, Lemieux, Cyr, Perron, Dufour, Dion, Mercier, Bolduc, Bérubé, Boisvert,
  L'Écuyer, L'Heureux, L'Italien, D'Amours, D'Astous, O'Brien, Saint-Onge, Sainte-Marie, St-Hilaire, Létourneau,
  Bourdages-Arsenault, Vollant-McKenzie, Diallo, Nguyễn, Ben Saïd, Peña`);

/** Names of English-speaking Québec. */
export const PRENOMS_ANGLAIS = list(`
  Emily, James, Olivia, William, Charlotte, Liam, Megan, Ryan, Heather, Kevin, Priya, Dylan, Kimberly, Sean, Tara,
  Jonathan, Rebecca, Scott, Ashley, Connor, Mei-Ling, Anthony, Stephanie, Malcolm, Fiona`);

export const NOMS_ANGLAIS = list(`
  Smith, Campbell, Taylor, O'Connor, MacDonald, Wilson, Ryan, Mitchell, McGill-Hughes, Stewart, Cohen, Singh, Johnson,
  Robertson, Walsh, Kowalski, Chen, Rossi, Papadopoulos, Fitzgerald, Bennett, Dunn, Fraser, Patel, Thompson`);

export const RUES = list(`
  rue Saint-Jean, rue de l'Église, boulevard Laurier, avenue des Érables, rue Notre-Dame Ouest, chemin du Lac,
  rue Principale, boulevard Saint-Joseph, rue Sainte-Anne, avenue Cartier, rang Saint-François, rue de la Gare,
  boulevard Talbot, rue King Est, montée Masson, rue du Fleuve, avenue du Mont-Royal Est, côte des Neiges,
  rue Hériot, chemin Sainte-Foy, rue Racine, boulevard des Forges, place d'Youville, rue Léonidas`);

export const VILLES: readonly Ville[] = table(`
  Québec                   | G1R | 418 581 367
  Lévis                    | G6V | 418 581 367
  Montréal                 | H2J | 514 438
  Laval                    | H7N | 450
  Longueuil                | J4H | 450
  Trois-Rivières           | G9A | 819
  Saguenay                 | G7H | 418 581
  Sherbrooke               | J1H | 819
  Gatineau                 | J8X | 819
  Rimouski                 | G5L | 418 581
  Drummondville            | J2B | 819
  Saint-Hyacinthe          | J2S | 450
  Granby                   | J2G | 450
  Victoriaville            | G6P | 819
  Shawinigan               | G9N | 819
  Rouyn-Noranda            | J9X | 819
  Val-d'Or                 | J9P | 819
  Sept-Îles                | G4R | 418 581
  Baie-Comeau              | G4Z | 418
  Saint-Georges            | G5Y | 418 581
  Thetford Mines           | G6G | 418
  Rivière-du-Loup          | G5R | 418 367
  Alma                     | G8B | 418
  Sorel-Tracy              | J3P | 450
  Salaberry-de-Valleyfield | J6T | 450
  Joliette                 | J6E | 450
  Saint-Jérôme             | J7Z | 450
  L'Ancienne-Lorette       | G2E | 418
  Gaspé                    | G4X | 418
  Mont-Laurier             | J9L | 819
`).map(([nom = '', prefixe = '', indicatifs = '']) => ({ nom, prefixe, indicatifs: indicatifs.split(' ') }));

export const ORGANISATIONS: readonly Organisation[] = table(`
  CSS-01 | Centre de services scolaire des Érables-Rouges            | css-erables-rouges.example
  CSS-02 | Centre de services scolaire de la Rivière-aux-Outardes    | css-outardes.example
  CSS-03 | Centre de services scolaire du Grand-Héron                | css-grand-heron.example
  CSS-04 | Centre de services scolaire des Trois-Clochers            | css-trois-clochers.example
  CSS-05 | Centre de services scolaire de l'Île-aux-Pins             | css-ile-aux-pins.example
  CSS-06 | Centre de services scolaire des Battures                  | css-battures.example
  CSS-07 | Centre de services scolaire du Lac-Brûlé                  | css-lac-brule.example
  CSS-08 | Centre de services scolaire des Moissons-d'Or             | css-moissons.example
  CSS-09 | Centre de services scolaire de la Baie-aux-Oies           | css-baie-aux-oies.example
  CSS-10 | Centre de services scolaire du Vieux-Moulin               | css-vieux-moulin.example
  CSS-11 | Centre de services scolaire des Hautes-Tourbières         | css-tourbieres.example
  CSS-12 | Commission scolaire Kettle Falls                          | kettlefalls-sb.example
  SAN-01 | CIUSSS du Nord-des-Rapides                                | ciusss-ndr.example
  SAN-02 | CIUSSS de la Vallée-du-Caribou                            | ciusss-vdc.example
  SAN-03 | CISSS des Basses-Collines                                 | cisss-bc.example
  SAN-04 | CISSS de la Pointe-à-l'Orignal                            | cisss-pao.example
  SAN-05 | CHSLD Résidence de l'Amitié                               | chsld-amitie.example
  SAN-06 | Hôpital Sainte-Ursule                                     | hopital-ste-ursule.example
  SAN-07 | Centre de réadaptation La Ressourcerie                    | cr-ressourcerie.example
  SAN-08 | Coopérative ambulancière des Monts                        | ambulance-monts.example
  VIL-01 | Ville de Saint-Aubin-des-Pins                             | saint-aubin-des-pins.example
  VIL-02 | Ville de Rivière-Blanche-Est                              | riviere-blanche-est.example
  VIL-03 | Ville de Port-aux-Anguilles                               | port-aux-anguilles.example
  VIL-04 | Municipalité de L'Anse-à-Mercier                          | anse-a-mercier.example
  VIL-05 | Municipalité de Notre-Dame-des-Épinettes                  | nd-epinettes.example
  VIL-06 | Municipalité de Lac-des-Quatre-Vents                      | lac-quatre-vents.example
  VIL-07 | MRC des Plateaux                                          | mrc-plateaux.example
  VIL-08 | Régie intermunicipale de transport de la Côte             | transport-cote.example
  IND-01 | Aciérie Belle-Anse inc.                                   | acierie-belle-anse.example
  IND-02 | Forges et Laminoirs du Saguenay-Nord                      | forges-saguenay-nord.example
  IND-03 | Aluminerie Pointe-Noire s.e.n.c.                          | aluminerie-pn.example
  IND-04 | Papiers Rivière-aux-Saumons ltée                          | papiers-ras.example
  IND-05 | Scierie Gagnon & Frères                                   | scierie-gagnon.example
  IND-06 | Mines d'Or Lac-Profond                                    | mines-lac-profond.example
  IND-07 | Chantier maritime de l'Anse                               | chantier-anse.example
  IND-08 | Fromagerie L'Étoile du Rang                               | fromagerie-etoile.example
  SER-01 | Société de transport des Deux-Rives                       | transport-deux-rives.example
  SER-02 | Cégep de la Haute-Rive                                    | cegep-haute-rive.example
  SER-03 | Université du Saint-Laurent-Nord                          | usln.example
  SER-04 | CPE Les P'tits Huards                                     | cpe-petits-huards.example
`).map(([idExterne = '', nom = '', domaine = '']) => ({ idExterne, nom, domaine }));
