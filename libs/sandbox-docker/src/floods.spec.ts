// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { FLOODS } from './floods.contract.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/**
 * A Node.js process that has loaded all modules takes some 120. The memory that a job may occupy comes on top. A flood
 * is up to 1024.
 */
const RSS_MIB_MAX = 480;
/** A job beside it takes a few; a machine under load takes several times as long. */
const SLOWEST_MS_MAX = 2_000;

const run = promisify(execFile);

test.each(Object.keys(FLOODS))(
  'a flood of %s ends with its job, retains no memory and stalls no other job',
  async (flood) => {
    const child = join(import.meta.dirname, 'flood-child.contract.ts');
    const { stdout } = await run(process.execPath, ['--conditions=@writ/source', child, flood]);
    const { ended, reason, rssMib, slowestMs } = JSON.parse(stdout) as {
      ended: string;
      reason: string | null;
      rssMib: number;
      slowestMs: number;
    };
    expect({ ended, reason }).toEqual(ENDS[flood] ?? { ended: 'invalid', reason: 'protocol' });
    expect({ rssMib, isBounded: rssMib < RSS_MIB_MAX }).toEqual({ rssMib, isBounded: true });
    expect({ slowestMs, isQuick: slowestMs < SLOWEST_MS_MAX }).toEqual({ slowestMs, isQuick: true });
  },
);

/** Floods that break no rule reach a limit. */
const ENDS: Readonly<Record<string, { ended: string; reason: string }>> = {
  'a frame that never ends, a byte at a time': { ended: 'timeout', reason: 'wall' },
  'a line that never ends, a byte at a time': { ended: 'timeout', reason: 'wall' },
  'connections, each full': { ended: 'timeout', reason: 'wall' },
  'paths as long as may be': { ended: 'limit', reason: 'delta_files' },
};
