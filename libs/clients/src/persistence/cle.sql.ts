/** SQL condition: a row of `cle` is active at a moment; in the domain it is `Cle.isActive`. */
export const isActive = (at: string): string =>
  `(revoque_le IS NULL AND (expire_le IS NULL OR expire_le > ${at}))`;
