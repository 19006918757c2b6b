// SPDX-License-Identifier: Apache-2.0
import type { KeySet } from '@writ/receipt';
import { checkLog } from './check-log.ts';
import type { LogReport } from './findings.ts';
import { readLogIds, type Connection } from './rows.ts';
import { NOTHING_TOLD } from './told.ts';

/**
 * Checks every log of a database as it stands at one moment, while it may be written to.
 *
 * @param told what was signed MUST have been read before: a ledger that is at work goes on signing
 * @throws when a row might be hidden from the role: what can't be seen can't be vouched for
 */
export async function* checkDatabase(client: Connection, keys: KeySet, told = NOTHING_TOLD): AsyncGenerator<LogReport> {
  // Off: a query that row-level security would narrow is an error instead of an answer that looks complete.
  await client.query('SET row_security = off');
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    // A log of which nothing is left is known from outside alone.
    const logIds = new Set([...(await readLogIds(client)), ...told.signed.keys()]);
    for (const logId of [...logIds].sort()) yield await checkLog(client, logId, keys, told);
  } finally {
    await client.query('ROLLBACK');
  }
}
