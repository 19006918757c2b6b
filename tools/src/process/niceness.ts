// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';

/**
 * Gives the session that a process leads a niceness, from -20 to 19, beside the machine's other sessions. Where the
 * system groups sessions for scheduling (`autogroup`, as most distributions have it), a process's own niceness counts
 * among those of its session only, sched(7). Does nothing where it doesn't group them, or where the process is gone;
 * throws what else the system objects to.
 */
export const setSessionNiceness = (pid: number, niceness: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};
