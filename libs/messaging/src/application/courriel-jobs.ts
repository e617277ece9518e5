/** Names one turn of a letter to a worker. */
export interface CourrielJob {
  readonly tenantId: string;
  readonly courrielId: string;
  readonly tour: number;
}
