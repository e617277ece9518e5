export type * from './generated/administration/types.gen.js';
