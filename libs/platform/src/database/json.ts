/** JSON text as PostgreSQL made it, ready for the wire. */
export type Json = string;
