// SPDX-License-Identifier: Apache-2.0
import type { Delta } from '@writ/contract';
import { mostGrown, quote } from '@writ/workspace';

/** What to do where a state would hold more than a quota, and what of the change that led there adds most. */
export function quotaHint(delta: Pick<Delta, 'changes'>): string {
  const path = mostGrown(delta);
  return `${path === null ? '' : `${quote(path)} adds most; `}take files away first, or ask for a larger quota`;
}
