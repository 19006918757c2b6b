// SPDX-License-Identifier: Apache-2.0
import type { PlaceFreezeRequest } from '@writ/client/web';
import type { administration } from '../../words/administration.ts';

export type Scope = keyof typeof administration.stop.scopes;
export type Until = keyof typeof administration.stop.untils;
const HOUR_MS = 3_600_000;
const SPANS: Readonly<Record<Until, number | null>> = { lifted: null, hour: HOUR_MS, day: 24 * HOUR_MS };

/** What is stopped, and why. */
export interface Stop {
  readonly scope: Scope;
  /** of the agent or the tool */
  readonly id: string;
  readonly reason: string;
  readonly until: Until;
}

/** The request of a stop; null: something is missing. */
export function stopRequestOf({ scope, id, reason, until }: Stop, now: number): PlaceFreezeRequest | null {
  const span = SPANS[until];
  const [subject, why] = [id.trim(), reason.trim()];
  if (why === '' || (scope !== 'tenant' && subject === '')) return null;
  return {
    scope,
    reason: why,
    ...(scope === 'tenant' ? {} : { id: subject }),
    ...(span === null ? {} : { expires_at: now + span }),
  };
}
