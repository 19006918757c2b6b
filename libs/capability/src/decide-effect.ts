// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, Change, ScopeRoot, Verdict } from '@writ/contract';
import { deniedPaths, isAbove, scopeOf } from './fs-scope.ts';

type ChangedPath = Pick<Change, 'path'> & Partial<Pick<Change, 'after'>>;

/** An effect, and the tokens whose scope must contain it. */
export interface ScopedEffect {
  readonly chain: readonly CapabilityToken[];
  /** a path without an `after` counts as deleted */
  readonly changes: readonly ChangedPath[];
  /** the roots of the tenant's own settings, one more scope beside those of the chain: see `tenantScope` */
  readonly tenant_scope: readonly ScopeRoot[];
}

/** Paths per step. */
const STEP_PATHS = 100;

/** Limit on the offending paths in a message: enough to recognise the problem, short enough for a record's reasons. */
const PATHS_NAMED = 5;

/**
 * Decides whether an effect stays within the token's scope. Every created, replaced or deleted path must be within the
 * write roots of every token of the chain, and within the tenant's own. A directory above a denied path, which no
 * container receives, is neither removed nor replaced. The delta comes from an untrusted container, so nothing but its
 * paths is used.
 */
export function decideEffect(effect: ScopedEffect): Verdict {
  const steps = decideEffectSteps(effect);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same with a pause after each hundred paths; a server MUST yield to other work in between. */
export function* decideEffectSteps({
  chain,
  changes,
  tenant_scope,
}: ScopedEffect): Generator<undefined, Verdict, undefined> {
  // Without a token there is no scope, and `every` of an empty list would allow everything.
  const isOutside = chain.length === 0 ? () => true : outsideOf(chain.map(({ grant }) => grant.fs));
  const isDenied = outsideOf([tenant_scope]);
  const outside: ChangedPath[] = [];
  const denied: ChangedPath[] = [];
  for (const [index, change] of changes.entries()) {
    if (index % STEP_PATHS === STEP_PATHS - 1) yield;
    if (isOutside(change)) outside.push(change);
    else if (isDenied(change)) denied.push(change);
  }
  if (outside.length > 0)
    return refusal(
      `the call changed ${named(outside)}, outside the write roots of its capability token`,
      'a token with a write root at or above these paths would do',
    );
  if (denied.length > 0)
    return refusal(
      `the call changed ${named(denied)}, which the settings of the tenant keep calls from`,
      'no token helps; an administrator changes the paths that calls may reach (`writ settings`)',
    );
  return { effect: 'allow' };
}

/** Makes the test whether one of the scopes doesn't let the change be made. */
function outsideOf(scopes: readonly (readonly ScopeRoot[])[]): (change: ChangedPath) => boolean {
  const within = scopes.map((roots) => scopeOf(roots, 'write'));
  const denied = scopes.flatMap(deniedPaths);
  const removesDenied = ({ path, after }: ChangedPath): boolean =>
    after?.kind !== 'dir' && denied.some((below) => isAbove(path, below));
  return (change) => !within.every((isWithin) => isWithin(change.path)) || removesDenied(change);
}

function named(changes: readonly ChangedPath[]): string {
  const shown = changes
    .slice(0, PATHS_NAMED)
    .map(({ path }) => `\`${path}\``)
    .join(', ');
  return changes.length > PATHS_NAMED ? `${shown} and ${changes.length - PATHS_NAMED} more` : shown;
}

const refusal = (message: string, hint: string): Verdict => ({
  effect: 'refuse',
  code: 'effect.out_of_scope',
  message,
  hint,
});
