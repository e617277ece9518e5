export type * from './generated/plateforme/types.gen.js';
