// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, Change, Verdict } from '@writ/contract';
import { deniedPaths, isAbove, scopeOf } from './fs-scope.ts';

type ChangedPath = Pick<Change, 'path'> & Partial<Pick<Change, 'after'>>;

/** An effect, and the tokens that it must stay within. */
export interface ScopedEffect {
  readonly chain: readonly CapabilityToken[];
  /** without an `after` a path counts as one where something went */
  readonly changes: readonly ChangedPath[];
}

/** Paths that are decided on in one step. */
const STEP_PATHS = 100;

/** How many offending paths a message names: enough to see what happened, short enough for a record's reasons. */
const PATHS_NAMED = 5;

/**
 * Decides whether an effect stays within the token: every changed path, created, replaced or deleted, must lie within
 * the write roots of every token of the chain; what stands above a denied path, which no container was given, is
 * neither removed nor replaced. The delta is a container's word for what it did, so nothing of it is believed beyond
 * the paths it names.
 */
export function decideEffect(effect: ScopedEffect): Verdict {
  const steps = decideEffectSteps(effect);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same with a step after each hundred paths: who serves others too MUST leave it in between. */
export function* decideEffectSteps({ chain, changes }: ScopedEffect): Generator<undefined, Verdict, undefined> {
  const scopes = chain.map((token) => scopeOf(token.grant.fs, 'write'));
  const denied = chain.flatMap((token) => deniedPaths(token.grant.fs));
  const buries = ({ path, after }: ChangedPath): boolean =>
    after?.kind !== 'dir' && denied.some((below) => isAbove(path, below));
  // Without a token there is no scope, and `every` of none would let all pass.
  const isOutside = (change: ChangedPath): boolean =>
    scopes.length === 0 || !scopes.every((within) => within(change.path)) || buries(change);
  const outside: ChangedPath[] = [];
  for (const [index, change] of changes.entries()) {
    if (index % STEP_PATHS === STEP_PATHS - 1) yield;
    if (isOutside(change)) outside.push(change);
  }
  if (outside.length === 0) return { effect: 'allow' };
  const named = outside
    .slice(0, PATHS_NAMED)
    .map(({ path }) => `\`${path}\``)
    .join(', ');
  const more = outside.length > PATHS_NAMED ? ` and ${outside.length - PATHS_NAMED} more` : '';
  return {
    effect: 'refuse',
    code: 'effect.out_of_scope',
    message: `the call changed ${named}${more}, outside the write roots of its capability token`,
    hint: 'a token with a write root at or above these paths would do',
  };
}
