// SPDX-License-Identifier: Apache-2.0
import type { Logger, Telemetry } from '@writ/telemetry';
import { Repeated } from './repeated.ts';

/**
 * How often a process looks whether its keys changed, in milliseconds. What is published beforehand has to be so for
 * longer.
 */
export const FOLLOW_MS = 2_000;

/** Keys that are read again. `refresh` rejects, keeping what it had, where what is there can't be read. */
export interface Followed {
  /** for the log: `record keys` */
  readonly what: string;
  readonly keys: { refresh(): Promise<boolean> };
}

/**
 * Follows keys while the process runs. Keys that can't be read leave those that were read before in force: the log says
 * so once, the gauge for as long as it is so. `turn` comes after each look, whether there was something new or not:
 * time alone gives the turn to another key.
 */
export function followKeys(
  followed: readonly Followed[],
  { logger, telemetry }: { readonly logger: Logger; readonly telemetry: Telemetry },
  turn: (now: number) => void = () => undefined,
): Repeated {
  const unread = new Map<string, string>();
  telemetry.meter.observe(['writ.keys.unread'], (observe) => {
    for (const { what } of followed) observe('writ.keys.unread', unread.has(what) ? 1 : 0, { keys: what });
  });
  const look = async ({ what, keys }: Followed): Promise<void> => {
    try {
      if (await keys.refresh()) logger.info({ keys: what }, 'keys were read anew');
      unread.delete(what);
    } catch (err) {
      const message = err instanceof Error ? err.message : String(err);
      if (unread.get(what) !== message)
        logger.error({ keys: what, err }, "keys can't be read: those that were read before stay in force");
      unread.set(what, message);
    }
  };
  return new Repeated(
    async () => {
      await Promise.all(followed.map(look));
      turn(Date.now());
    },
    FOLLOW_MS,
    (err) => logger.error({ err }, 'unexpected error'),
  );
}
