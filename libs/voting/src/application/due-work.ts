import { type DueCampagne, eachDue } from './each-due';

/** Pauses until a campaign is looked at again, in ms. */
interface Pauses {
  /** From the failure on. */
  readonly afterFailure: number;
  /** From the beginning of the work on. Without it, the campaign is looked at in the next round. */
  readonly afterSuccess?: number;
}

/** Work with campaigns of all tenants. One that fails is tried again after a pause: it must not keep others waiting. */
export class DueWork {
  private readonly putOff = new Map<string, number>();

  constructor(private readonly pauses: Pauses = { afterFailure: 5 * 60_000 }) {}

  /**
   * @param find returns what is due, without the campaigns that it is given
   * @throws as `eachDue`
   */
  async each(
    find: (except: readonly string[]) => Promise<readonly DueCampagne[]>,
    isStopping: () => boolean,
    work: (tenantId: string, id: string) => Promise<unknown>,
  ): Promise<void> {
    for (const [id, until] of this.putOff) if (until <= Date.now()) this.putOff.delete(id);
    const due = await find([...this.putOff.keys()]);
    await eachDue(due, isStopping, async (tenantId, id) => {
      const begun = Date.now();
      try {
        await work(tenantId, id);
        if (this.pauses.afterSuccess) this.putOff.set(id, begun + this.pauses.afterSuccess);
      } catch (error) {
        this.putOff.set(id, Date.now() + this.pauses.afterFailure);
        throw error;
      }
    });
  }
}
