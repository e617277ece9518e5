/** Events of this context: pure data that rules of other contexts may import. */
export * from './domain/clients.events';
