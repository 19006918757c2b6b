// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, signal, type Identity } from './identity.ts';

/** Short compared with every grace period, long compared with a read of /proc. */
const POLL_MS = 20;

/** Resolves to whether the process ended within the time. */
export const waitUntilEnded = async (who: Identity, graceMs: number): Promise<boolean> => {
  const until = performance.now() + graceMs;
  while (isAlive(who)) {
    if (performance.now() >= until) return false;
    await delay(POLL_MS);
  }
  return true;
};

/** Asks a process to end, and kills it after the time. Resolves when it is gone. */
export const stopProcess = async (who: Identity, ask: NodeJS.Signals, graceMs: number): Promise<void> => {
  if (!signal(who, ask)) return;
  if (await waitUntilEnded(who, graceMs)) return;
  signal(who, 'SIGKILL');
  await waitUntilEnded(who, graceMs);
};
