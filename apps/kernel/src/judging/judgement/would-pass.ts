// SPDX-License-Identifier: Apache-2.0
import type { Reason } from '@writ/contract';
import type { Supervision } from '../policies/policy-sets.ts';

/** The code of the reason with these words; no rule of a set can have this id. */
const WOULD_PASS = 'policy.would_pass';

/** How the call would have passed with less supervision, in words, each once; null where there is no way. */
export function passText({ would_pass = [] }: Pick<Supervision, 'would_pass'>): string | null {
  return would_pass.length === 0 ? null : `it would pass: ${[...new Set(would_pass)].join('; and ')}`;
}

/** The same as a reason of a held call. */
export function passReasons(required: Pick<Supervision, 'would_pass'>): Reason[] {
  const message = passText(required);
  return message === null ? [] : [{ code: WOULD_PASS, message }];
}

/** A hint, followed by how the call would have passed; undefined where there is neither. */
export function hintOf(required: Pick<Supervision, 'would_pass'>, first?: string): string | undefined {
  const parts = [first, passText(required)].filter((part) => part !== undefined && part !== null);
  return parts.length === 0 ? undefined : parts.join('. ');
}
