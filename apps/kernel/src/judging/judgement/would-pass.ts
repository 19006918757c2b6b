// SPDX-License-Identifier: Apache-2.0
import type { Reason } from '@writ/contract';
import type { Supervision } from '../policies/policy-sets.ts';

/** The code of the reason that says it; no rule of a set can be called so. */
const WOULD_PASS = 'policy.would_pass';

/** What would have let the call pass with less supervision, in words, each once; null where nothing would. */
export function passWords({ would_pass = [] }: Pick<Supervision, 'would_pass'>): string | null {
  return would_pass.length === 0 ? null : `it would pass: ${[...new Set(would_pass)].join('; and ')}`;
}

/** The same as a reason of a held call. */
export function passReasons(asked: Pick<Supervision, 'would_pass'>): Reason[] {
  const message = passWords(asked);
  return message === null ? [] : [{ code: WOULD_PASS, message }];
}

/** A hint of what helps, with what would have passed after it; undefined where neither does. */
export function hintOf(asked: Pick<Supervision, 'would_pass'>, first?: string): string | undefined {
  const parts = [first, passWords(asked)].filter((part) => part !== undefined && part !== null);
  return parts.length === 0 ? undefined : parts.join('. ');
}
