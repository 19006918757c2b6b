// SPDX-License-Identifier: Apache-2.0
// A separate process, started with `STATE_DIR STATE_ID`. The supervisor holds the other end of its standard input. When
// that end closes without the message that everything was ended, the supervisor was killed. Then the watchdog ends
// everything that it had started.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStarted } from '../process/table.ts';
import { cleanUp, PROMPT } from './clean-up.ts';
import { takeLock } from './lock.ts';

/** The supervisor's message after it has ended everything itself. */
export const FAREWELL = 'done\n';

const watch = async (stateDir: string, stateId: string): Promise<void> => {
  let received = '';
  for await (const chunk of process.stdin) received += String(chunk);
  if (received.endsWith(FAREWELL)) return;
  const lock = await takeLock(stateId, 'watchdog');
  // A new supervisor was faster: it ends leftovers before it starts anything.
  if (!('release' in lock)) return;
  const began = performance.now();
  const count = await cleanUp({ stateDir, stateId }, readStarted(stateDir), PROMPT);
  const line = `the supervisor is gone: ended ${count} processes in ${Math.round(performance.now() - began)} ms\n`;
  appendFileSync(join(stateDir, 'logs', 'watchdog.log'), line);
  lock.release();
};

const [stateDir, stateId] = process.argv.slice(2);
if (import.meta.main && stateDir !== undefined && stateId !== undefined) {
  // Only the supervisor's end is a reason to end; it handles a closed terminal and Ctrl-C itself.
  for (const name of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(name, () => undefined);
  await watch(stateDir, stateId);
  process.exit(0);
}
