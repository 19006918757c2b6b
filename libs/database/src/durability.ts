// SPDX-License-Identifier: Apache-2.0
import { faultOf } from './faults.ts';
import type { Pool } from './pool.ts';

/**
 * The settings that a COMMIT needs to survive a power cut. https://www.postgresql.org/docs/17/runtime-config-wal.html
 */
const DURABILITY_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Whether a server with these settings writes commits to disk, as far as they are given. */
export const isDurable = (settings: Readonly<Record<string, string>>): boolean =>
  DURABILITY_SETTINGS.every((name) => isSafe(name, settings[name]));

/** A setting that isn't known counts as unsafe. `synchronous_commit` may name a level that waits for standbys. */
function isSafe(name: string, setting: string | undefined): boolean {
  if (name !== 'synchronous_commit') return setting === 'on';
  return setting !== undefined && ['on', 'local', 'remote_write', 'remote_apply'].includes(setting);
}

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
  const wrong = rows.find(({ name, setting }) => !isSafe(name, setting));
  if (wrong) throw new Error(`the database would lose what it committed: \`${wrong.name}\` is \`${wrong.setting}\``);
}
