/** SQL of bytes as base64url without padding. */
export const base64url = (bytes: string): string =>
  `rtrim(translate(encode(${bytes}, 'base64'), E'+/\\n', '-_'), '=')`;
