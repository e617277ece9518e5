import { type DueCampagne, eachDue } from './each-due';

const PUT_OFF_MS = 5 * 60_000;

/** Work with campaigns of all tenants. One that fails is tried again after some minutes: it must not keep others waiting. */
export class DueWork {
  private readonly putOff = new Map<string, number>();

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
      try {
        await work(tenantId, id);
      } catch (error) {
        this.putOff.set(id, Date.now() + PUT_OFF_MS);
        throw error;
      }
    });
  }
}
