// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';

/**
 * Sets the niceness, from -20 to 19, of the session that a process leads. Where the system groups sessions for
 * scheduling (`autogroup`, as in most distributions), a process's own niceness counts only within its session,
 * sched(7). Does nothing where it doesn't group them, or where the process is gone; throws any other error of the
 * system.
 */
export const setSessionNiceness = (pid: number, niceness: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};
