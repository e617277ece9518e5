/** A job: one generation of an email. */
export interface CourrielJob {
  readonly tenantId: string;
  readonly courrielId: string;
  readonly tour: number;
}
