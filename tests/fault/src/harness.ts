// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { connect } from '@writ/database';
import { eventually, type JsonValue, type Stack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

type Client = Awaited<ReturnType<typeof connect>>;

/** Looks at the database as its owner, and holds locks to stop a process at a known statement. */
export class Observer {
  readonly #url: string;
  readonly #open: Client[] = [];

  constructor(stack: Stack) {
    this.#url = stack.database.ownerUrl;
  }

  async rows<R = Record<string, JsonValue>>(sql: string, values: unknown[] = []): Promise<R[]> {
    const client = await connect(this.#url, 'fault-observer');
    try {
      return (await client.query(sql, values)).rows as R[];
    } finally {
      await client.end();
    }
  }

  /** Runs the statement in a transaction that stays open; answers how to end it. */
  async hold(sql: string, values: unknown[] = []): Promise<() => Promise<void>> {
    const client = await connect(this.#url, 'fault-lock');
    this.#open.push(client);
    await client.query('BEGIN');
    await client.query(sql, values);
    return async () => {
      this.#open.splice(this.#open.indexOf(client), 1);
      await client.query('ROLLBACK');
      await client.end();
    };
  }

  /** Resolves when a session of that role waits for a lock: the process stands inside its transaction. */
  async untilBlocked(role: string): Promise<void> {
    await eventually(`a session of ${role} waits for a lock`, async () =>
      (await this.rows(`SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND datname = current_database() AND wait_event_type = 'Lock'`, [role])).length > 0);
  }

  /** Resolves when no session of that role is left: what a killed process had open is rolled back. */
  async untilGone(role: string): Promise<void> {
    await eventually(`no session of ${role}`, async () =>
      (await this.rows('SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND datname = current_database()', [role])).length === 0);
  }

  async operation(key: string): Promise<JsonValue | undefined> {
    return (await this.rows('SELECT * FROM kernel.operation WHERE idempotency_key = $1', [key]))[0];
  }

  untilState(key: string, ...states: string[]): Promise<JsonValue> {
    return eventually(`an operation in ${states.join('|')}`, async () => {
      const operation = await this.operation(key);
      return operation !== undefined && states.includes(operation.state as string) ? operation : null;
    }, 30_000);
  }

  async close(): Promise<void> {
    for (const client of this.#open.splice(0)) await client.end().catch(() => undefined);
  }
}

/**
 * What must hold after every fault: the operation ended once, its outcome is recorded once, every record is in a log that the independent
 * checker rebuilds from raw rows, and nothing waits.
 */
export async function expectWhole(stack: Stack, world: World, observer: Observer, operationId: string, expected: { tx_outcome: string; attempt?: number }): Promise<void> {
  const operation = await world.until(operationId, ['committed', 'rolled_back', 'no_op', 'ambiguous', 'refused']);
  expect(operation.result).toMatchObject({ tx_outcome: expected.tx_outcome });
  if (expected.attempt !== undefined) expect(operation.attempt).toBe(expected.attempt);
  await eventually('an empty outbox', async () => (await observer.rows('SELECT 1 FROM kernel.outbox')).length === 0, 30_000);
  const records = await observer.rows('SELECT phase FROM ledger.leaf WHERE operation_id = $1 AND kind = $2', [operationId, 'tool_call']);
  expect(records.filter((record) => record['phase'] === 'outcome')).toHaveLength(1);
  const twice = await observer.rows('SELECT record_id FROM ledger.leaf GROUP BY log_id, record_id HAVING count(*) > 1');
  expect(twice).toEqual([]);
  const receipt = await world.admin.get(`/v1/operations/${operationId}/receipt`);
  expect(receipt.status).toBe(200);
  expectCleanLog(stack);
}

/** Runs the independent checker as a process of its own. */
export function expectCleanLog(stack: Stack): void {
  const fsck = join(repositoryRoot(), 'tools', 'src', 'fsck', 'main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=@writ/source', fsck, '--database', stack.database.ownerUrl, '--keys', stack.keys.publicKeysFile], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the log is not as it should be:\n${stdout}${stderr}`);
}
