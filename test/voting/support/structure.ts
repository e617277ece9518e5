import type { Client } from 'pg';
import { Campagne } from '../../../libs/voting/src/campagne/domain/campagne.entity';
import { CampagneRepository } from '../../../libs/voting/src/campagne/persistence/campagne.repository';
import { eventually } from '../../http/expect-problem';
import { TestApp } from '../../setup/test-app';
import { Campaigns } from './campaigns';
import { waitingNow } from '../../setup/lock-waits';

/** A question as its list shows it. */
export interface Item {
  Id: string;
  Titre: string;
  Ordre: number;
  Options: { Id: string; Libelle: string; Ordre: number }[];
}

/** The whole structure with its places: `1Un(1A 2B) 2Deux(1Pour 2Contre)`. */
export function textOf(questions: readonly Item[]): string {
  const texts = questions.map(({ Ordre, Titre, Options }) => {
    const options = Options.map((option) => `${option.Ordre}${option.Libelle}`);
    return `${Ordre}${Titre}(${options.join(' ')})`;
  });
  return texts.join(' ');
}

export async function structure(of: Campaigns, id: string): Promise<string> {
  return textOf((await of.sent('GET', `/${id}/questions`)).json);
}

export async function lastChange(of: Campaigns, id: string): Promise<string> {
  return (await of.item(id)).dateModificationUtc as string;
}

/** Makes the last change of a campaign a minute older; the next change is then visible. */
export async function ageLastChange(of: Campaigns, id: string): Promise<string> {
  await of.rows(
    `UPDATE campagne SET date_modification = date_modification - interval '1 minute'
     WHERE tenant_id = $1 AND id_unique = $2`,
    id,
  );
  return lastChange(of, id);
}

/** Work that can be stopped before its first change of the rows, with the key of the lock that stops it. */
const KEYS = { 'the write': 1, 'the publication': 2, 'the vote': 3, 'the end': 4 } as const;
export type Stoppable = keyof typeof KEYS;

/** Stops work on a campaign in the middle of its transaction: also votes, and work that would end the vote. */
export class Barrier {
  private constructor(
    private readonly app: TestApp,
    private readonly rival: Client,
  ) {}

  static async install(app: TestApp): Promise<Barrier> {
    const rival = await app.connect();
    await rival.query(`
      CREATE FUNCTION barrier() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        held uuid;
      BEGIN
        IF TG_TABLE_NAME = 'campagne' THEN
          held := coalesce(NEW.id_unique, OLD.id_unique);
        ELSIF TG_TABLE_NAME IN ('question', 'votant') THEN
          held := coalesce(NEW.campagne_id, OLD.campagne_id);
        ELSE
          SELECT campagne_id INTO held FROM question WHERE id_unique = coalesce(NEW.question_id, OLD.question_id);
        END IF;
        PERFORM pg_advisory_xact_lock_shared(TG_ARGV[0]::int, hashtext(held::text));
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
      END $$;
      CREATE TRIGGER barrier BEFORE UPDATE ON campagne FOR EACH ROW WHEN (NEW.publiee AND NOT OLD.publiee)
        EXECUTE FUNCTION barrier(${KEYS['the publication']});
      CREATE TRIGGER barrier_vote BEFORE UPDATE OF a_vote ON votant FOR EACH ROW
        EXECUTE FUNCTION barrier(${KEYS['the vote']});
      CREATE TRIGGER barrier_end BEFORE UPDATE ON campagne FOR EACH ROW
        WHEN (OLD.publiee AND (NOT NEW.publiee OR NEW.fermeture_du_vote_utc < OLD.fermeture_du_vote_utc))
        EXECUTE FUNCTION barrier(${KEYS['the end']});
      CREATE TRIGGER barrier_deletion BEFORE DELETE ON campagne FOR EACH ROW
        EXECUTE FUNCTION barrier(${KEYS['the end']})`);
    for (const table of ['question', 'option']) {
      await rival.query(
        `CREATE TRIGGER barrier BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW
           EXECUTE FUNCTION barrier(${KEYS['the write']})`,
      );
    }
    return new Barrier(app, rival);
  }

  remove(): Promise<void> {
    return this.rival.end();
  }

  /** Runs `work`, which releases the work that is stopped until then. */
  async stopping<T>(
    what: Stoppable,
    id: string,
    work: (release: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const values = [KEYS[what], id];
    await this.rival.query('SELECT pg_advisory_lock($1, hashtext($2))', values);
    let isHeld = true;
    const release = async (): Promise<void> => {
      if (isHeld) await this.rival.query('SELECT pg_advisory_unlock($1, hashtext($2))', values);
      isHeld = false;
    };
    return work(release).finally(release);
  }

  /**
   * Sends one request and then the other: either `lead` ms later, or once the first is stopped in its middle. The first then
   * stays stopped until the other waits for it. Each comes with the number of connections that it makes wait.
   */
  async meet<A, B>(
    held: 'nobody' | Stoppable,
    id: string,
    lead: number,
    [one, waits]: readonly [() => Promise<A>, number],
    [other, others]: readonly [() => Promise<B>, number],
  ): Promise<[A, B]> {
    if (held === 'nobody') {
      const late = new Promise((resolve) => setTimeout(resolve, lead)).then(other);
      return Promise.all([one(), late]);
    }
    return this.stopping(held, id, async (release) => {
      const first = one();
      await this.waiting(waits);
      const second = other();
      let isAnswered = false;
      const answered = (): void => void (isAnswered = true);
      second.then(answered, answered);
      await this.waiting(waits + others, () => isAnswered);
      await release();
      return Promise.all([first, second]);
    });
  }

  /** Sends requests one after the other, each once the one before waits for the locked campaign. Unlocks it at the end. */
  async together<T>(id: string, requests: readonly (() => Promise<T>)[]): Promise<T[]> {
    await this.rival.query('BEGIN');
    await this.rival.query('SELECT FROM campagne WHERE id_unique = $1 FOR UPDATE', [id]);
    try {
      const running: Promise<T>[] = [];
      for (const request of requests) {
        running.push(request());
        await this.waiting(running.length);
      }
      await this.rival.query('ROLLBACK');
      return await Promise.all(running);
    } finally {
      await this.rival.query('ROLLBACK');
    }
  }

  /** Waits until so many connections of the service wait for a lock, or something else has happened. */
  async waiting(count: number, isOver: () => boolean = () => false): Promise<void> {
    await eventually(
      async () => isOver() || (await waitingNow(this.app.database)).length >= count || undefined,
      `That ${count} wait`,
    );
  }
}

/** Makes structural writes not lock the campaign until mocks are restored, for negative controls. */
export function withoutLock(): void {
  const { lock } = CampagneRepository.prototype;
  jest.spyOn(CampagneRepository.prototype, 'lock').mockImplementation(async function (
    this: CampagneRepository,
    tenantId,
    id,
    how,
  ) {
    if (how !== 'structure') return lock.call(this, tenantId, id, how);
    const campagne = await this['transactions']
      .manager()
      .findOneOrFail(Campagne, { where: { tenantId, idUnique: id } });
    return { campagne, at: await this.now() };
  });
}

/** For negative controls: lets published structure be changed, and publications not wait for writes of it. */
export async function unfreeze({ database }: TestApp): Promise<void> {
  for (const table of ['question', 'option'])
    for (const command of ['insert', 'update', 'delete'])
      await database.query(`DROP POLICY IF EXISTS ${table}_publiee_${command} ON ${table}`);
  const { rows } = await database.query<{ definition: string }>(
    `SELECT pg_get_functiondef('urne_preparer(uuid)'::regprocedure) AS definition`,
  );
  await database.query(rows[0]!.definition.replaceAll(/PERFORM [^;]* FOR UPDATE;/g, ''));
}

/** Two replicas of the service on one database, whose writes can be stopped in the middle. */
export class Replicas {
  private constructor(
    readonly apps: readonly [TestApp, TestApp],
    readonly barrier: Barrier,
  ) {}

  static async start(): Promise<Replicas> {
    const app = await TestApp.own('changes the schema');
    const { databaseUrl, secretsKey } = app.config;
    const replica = await TestApp.start({ databaseUrl, secretsKey });
    return new Replicas([app, replica], await Barrier.install(app));
  }

  /** The campaigns of a new tenant, by each of them. */
  async space(): Promise<readonly [Campaigns, Campaigns]> {
    const [app, replica] = this.apps;
    const tenant = await app.tenant();
    return [new Campaigns(app, tenant), new Campaigns(replica, tenant)];
  }

  async stop(): Promise<void> {
    await this.barrier.remove();
    for (const app of this.apps.toReversed()) await app.stop();
  }
}
