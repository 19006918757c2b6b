// SPDX-License-Identifier: Apache-2.0
import type { KeySet } from '@writ/receipt';
import { checkLog } from './check-log.ts';
import type { LogReport } from './findings.ts';
import { readLogIds, type Connection } from './rows.ts';
import { NOTHING_TOLD } from './signed-roots.ts';

/**
 * Checks every log of a database in one snapshot; the database may be written to meanwhile.
 *
 * @param reported the signed roots MUST have been read before: a running ledger continues to sign
 * @throws when row-level security might hide a row from the role: the result would be incomplete
 */
export async function* checkDatabase(
  client: Connection,
  keys: KeySet,
  reported = NOTHING_TOLD,
): AsyncGenerator<LogReport> {
  // Off: a query that row-level security would narrow fails, instead of returning an incomplete answer.
  await client.query('SET row_security = off');
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    // A log without any rows is known only from the signed roots.
    const logIds = new Set([...(await readLogIds(client)), ...reported.signed.keys()]);
    for (const logId of [...logIds].sort()) yield await checkLog(client, logId, keys, reported);
  } finally {
    await client.query('ROLLBACK');
  }
}
