/** The actor of an audited action. */
export interface Actor {
  readonly cleId: string;
  readonly requestId: string;
}
