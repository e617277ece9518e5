/** A start refused because of its environment; the message is one line that says what to set. */
export class ConfigError extends Error {}
