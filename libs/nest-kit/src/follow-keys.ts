// SPDX-License-Identifier: Apache-2.0
import type { Logger, Telemetry } from '@writ/telemetry';
import { Repeated } from './repeated.ts';

/**
 * How often a process checks whether its keys changed, in milliseconds. A key that is published in advance has to be
 * published for longer than this.
 */
export const FOLLOW_MS = 2_000;

/** Keys that are read again. `refresh` rejects and keeps the earlier keys where the source can't be read. */
export interface RefreshableKeys {
  /** for the log: `record keys` */
  readonly what: string;
  readonly keys: { refresh(): Promise<boolean> };
}

/**
 * Follows keys while the process runs. Where keys can't be read, the earlier ones stay in force: the log reports it
 * once, the gauge for as long as it lasts. `turn` runs after each look, with or without a change, since the passage of
 * time alone can put another key in force.
 */
export function followKeys(
  followed: readonly RefreshableKeys[],
  { logger, telemetry }: { readonly logger: Logger; readonly telemetry: Telemetry },
  turn: (now: number) => void = () => undefined,
): Repeated {
  const unread = new Map<string, string>();
  telemetry.meter.observe(['writ.keys.unread'], (observe) => {
    for (const { what } of followed) observe('writ.keys.unread', unread.has(what) ? 1 : 0, { keys: what });
  });
  const look = async ({ what, keys }: RefreshableKeys): Promise<void> => {
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
