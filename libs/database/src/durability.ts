// SPDX-License-Identifier: Apache-2.0
import { faultOf } from './faults.ts';
import type { Pool } from './pool.ts';

/**
 * The settings that a COMMIT needs to survive a power cut. https://www.postgresql.org/docs/17/runtime-config-wal.html
 */
const DURABILITY_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/**
 * Throws unless the server writes commits to disk; a process calls it once before it serves. `synchronous_commit` may
 * also name a level that waits for standbys, all of which write locally first.
 */
export async function verifyDurability(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<{ name: string; setting: string }>('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [
      [...DURABILITY_SETTINGS],
    ])
    .catch((error: unknown) => {
      throw faultOf(error);
    });
  const wrong = rows.find(
    ({ name, setting }) =>
      setting === 'off' ||
      (name === 'synchronous_commit' && !['on', 'local', 'remote_write', 'remote_apply'].includes(setting)),
  );
  if (wrong) throw new Error(`the database would lose what it committed: \`${wrong.name}\` is \`${wrong.setting}\``);
}
