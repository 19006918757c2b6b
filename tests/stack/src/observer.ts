// SPDX-License-Identifier: Apache-2.0
import { connect } from '@writ/database';
import type { JsonValue } from './api.ts';
import type { SharedStack } from './stack.ts';
import { eventually } from './world.ts';

type Client = Awaited<ReturnType<typeof connect>>;

/** Observes the database as its owner, and holds locks to stop a process at a certain statement. */
export class Observer {
  readonly #url: string;
  readonly #open: Client[] = [];

  constructor(stack: { readonly database: Pick<SharedStack['database'], 'ownerUrl'> }) {
    this.#url = stack.database.ownerUrl;
  }

  async rows<R = Record<string, JsonValue>>(sql: string, values: unknown[] = []): Promise<R[]> {
    const client = await connect(this.#url, 'test-observer');
    try {
      return (await client.query(sql, values)).rows as R[];
    } finally {
      await client.end();
    }
  }

  /** Runs the statement in a transaction that stays open; returns a function that ends it. */
  async hold(sql: string, values: unknown[] = []): Promise<() => Promise<void>> {
    const client = await connect(this.#url, 'test-lock');
    this.#open.push(client);
    await client.query('BEGIN');
    await client.query(sql, values);
    return async () => {
      this.#open.splice(this.#open.indexOf(client), 1);
      await client.query('ROLLBACK');
      await client.end();
    };
  }

  /** Resolves when a session of that role waits for a lock: the process is inside its transaction. */
  async untilBlocked(role: string): Promise<void> {
    await eventually(
      `a session of ${role} waits for a lock`,
      async () =>
        (
          await this.rows(
            `SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND datname = current_database() AND wait_event_type = 'Lock'`,
            [role],
          )
        ).length > 0,
    );
  }

  /**
   * Ends the sessions of that role before they commit. A backend that waits inside a statement doesn't notice that its
   * client died. Without this it would go on and commit, which is the row "COMMIT done, reply lost" instead.
   */
  async abort(role: string): Promise<void> {
    await this.rows(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND datname = current_database()',
      [role],
    );
    await this.untilRemoved(role);
  }

  /** Resolves when no session of that role remains. */
  async untilRemoved(role: string): Promise<void> {
    await eventually(
      `no session of ${role}`,
      async () =>
        (await this.rows('SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND datname = current_database()', [role]))
          .length === 0,
    );
  }

  async operation(key: string): Promise<JsonValue | undefined> {
    return (await this.rows('SELECT * FROM kernel.operation WHERE idempotency_key = $1', [key]))[0];
  }

  untilState(key: string, ...states: string[]): Promise<JsonValue> {
    return eventually(
      `an operation in ${states.join('|')}`,
      async () => {
        const operation = await this.operation(key);
        return operation !== undefined && states.includes(operation.state as string) ? operation : null;
      },
      60_000,
    );
  }

  /** The outcome records of an operation in the log. */
  async outcomes(operationId: string): Promise<number> {
    return (
      await this.rows(
        `SELECT 1 FROM ledger.leaf WHERE operation_id = $1 AND kind = 'tool_call' AND phase = 'outcome'`,
        [operationId],
      )
    ).length;
  }

  /** The same for several operations; one without any is missing. */
  async outcomesOf(operationIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.rows<{ operation_id: string; count: number }>(
      `SELECT operation_id, count(*)::int AS count FROM ledger.leaf WHERE operation_id = ANY($1) AND kind = 'tool_call' AND phase = 'outcome' GROUP BY operation_id`,
      [operationIds],
    );
    return new Map(rows.map(({ operation_id, count }) => [operation_id, count]));
  }

  /** Resolves when every record is in the log: of one tenant where it is named, else of all. */
  async untilLogged(timeoutMs = 30_000, tenantId: string | null = null): Promise<void> {
    const waiting = 'SELECT 1 FROM kernel.outbox WHERE $1::text IS NULL OR tenant_id = $1 LIMIT 1';
    await eventually('an empty outbox', async () => (await this.rows(waiting, [tenantId])).length === 0, timeoutMs);
  }

  /** All rows of all tables, with their columns of bytes as text: the records in outbox and ledger are such bytes. */
  async everythingStored(): Promise<string> {
    const tables = await this.rows<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await this.rows<{ row: Record<string, unknown> }>(`SELECT to_jsonb(t) AS row FROM ${name} t`);
      texts.push(JSON.stringify(rows));
      for (const { row } of rows)
        for (const value of Object.values(row))
          if (typeof value === 'string' && value.startsWith('\\x'))
            texts.push(Buffer.from(value.slice(2), 'hex').toString('latin1'));
    }
    return texts.join('\n');
  }

  async close(): Promise<void> {
    for (const client of this.#open.splice(0)) await client.end().catch(() => undefined);
  }
}
