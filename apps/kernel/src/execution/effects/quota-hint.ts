// SPDX-License-Identifier: Apache-2.0
import type { Delta } from '@writ/contract';
import { mostGrown, quote } from '@writ/workspace';

/** A hint for a state that would exceed a quota, with the path of the change that adds most. */
export function quotaHint(delta: Pick<Delta, 'changes'>): string {
  const path = mostGrown(delta);
  return `${path === null ? '' : `${quote(path)} adds most; `}take files away first, or ask for a larger quota`;
}
