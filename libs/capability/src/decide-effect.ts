// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, Change, Verdict } from '@writ/contract';
import { scopeOf } from './fs-scope.ts';

/** How many offending paths a message names: enough to see what happened, short enough for a record's reasons. */
const PATHS_NAMED = 5;

/**
 * Decides whether an effect stays within the token: every changed path, created, replaced or deleted, must lie within the write roots
 * of every token of the chain. The delta is a container's word for what it did, so nothing of it is believed beyond the paths it names.
 */
export function decideEffect({ chain, changes }: {
  readonly chain: readonly CapabilityToken[];
  readonly changes: readonly Pick<Change, 'path'>[];
}): Verdict {
  const scopes = chain.map((token) => scopeOf(token.grant.fs, 'write'));
  // Without a token there is no scope, and `every` of none would let all pass.
  const outside = changes.filter(({ path }) => scopes.length === 0 || !scopes.every((within) => within(path)));
  if (outside.length === 0) return { effect: 'allow' };
  const named = outside.slice(0, PATHS_NAMED).map(({ path }) => `\`${path}\``).join(', ');
  const more = outside.length > PATHS_NAMED ? ` and ${outside.length - PATHS_NAMED} more` : '';
  return {
    effect: 'refuse',
    code: 'effect.out_of_scope',
    message: `the call changed ${named}${more}, outside the write roots of its capability token`,
    hint: 'a token with a write root at or above these paths would do',
  };
}
