// SPDX-License-Identifier: Apache-2.0
import type { KeySet } from '@writ/receipt';
import { checkLog } from './check-log.ts';
import type { LogReport } from './findings.ts';
import { readLogIds, type Connection } from './rows.ts';

/**
 * Checks every log of a database as it stands at one moment, while it may be written to.
 *
 * @throws when a row might be hidden from the role: what can't be seen can't be vouched for
 */
export async function* checkDatabase(client: Connection, keys: KeySet): AsyncGenerator<LogReport> {
  // Off: a query that row-level security would narrow is an error instead of an answer that looks complete.
  await client.query('SET row_security = off');
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    for (const logId of await readLogIds(client)) yield await checkLog(client, logId, keys);
  } finally {
    await client.query('ROLLBACK');
  }
}
