// SPDX-License-Identifier: Apache-2.0
import { scopeOf, tenantScope } from '@writ/capability';
import { Fault, type PreconditionRef, type TenantId } from '@writ/contract';
import { parsePath, type WorkspacePath } from '@writ/workspace';
import type { Trees } from '../../foundation/workspace/trees.ts';
import { refusal, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import { ABSENT, type Versions } from './versions.ts';

/**
 * Decides whether everything that the call relies on holds at the head; null when it does. Commit checks it again. A
 * precondition that can't be checked doesn't hold: `versions` is null where they were not read.
 */
export async function decidePreconditions(
  trees: Trees,
  call: Pick<JudgedCall, 'tenant_id' | 'precondition_refs'>,
  head: string,
  versions: Versions | null = null,
): Promise<Refusal | null> {
  for (const ref of call.precondition_refs) {
    const fault = await unmetReason(trees, call.tenant_id, head, ref, versions);
    if (fault !== null)
      return refusal('precondition.failed', fault, 'read the present state and propose the call anew');
  }
  return null;
}

/**
 * Decides the same for a judgement. INVARIANT (no probing): a path outside of the roots of a token, or one that the
 * settings of the tenant deny, is refused before it is looked at. Whether the precondition holds would tell what is
 * there, so the answer depends on the path and the roots alone.
 */
export async function decideReliedOn(
  trees: Trees,
  call: Pick<JudgedCall, 'tenant_id' | 'precondition_refs'>,
  head: string,
  { rules, versions, chain }: Pick<CallFacts, 'rules' | 'versions' | 'chain'>,
): Promise<Refusal | null> {
  const scopes = chain.map(({ token }) =>
    (['read', 'write'] as const).map((access) => scopeOf(token.grant.fs, access)),
  );
  const outside = pathOutside(call, (path) => scopes.every((either) => either.some((reaches) => reaches(path))));
  if (outside !== undefined)
    return refusal(
      'token.scope',
      `the capability token does not let calls rely on \`${outside.ref.slice(0, 256)}\``,
      'leave out this precondition, or use a token that reads or writes the path',
    );
  const denied = pathOutside(call, scopeOf(tenantScope(rules.settings), 'read'));
  if (denied === undefined) return await decidePreconditions(trees, call, head, versions);
  return refusal(
    'path.denied',
    `the settings of the tenant do not let calls rely on \`${denied.ref.slice(0, 256)}\``,
    'leave out this precondition',
  );
}

/** The first precondition on a path that is not reached. What is no path is refused as such, wherever it would be. */
const pathOutside = (
  { precondition_refs }: Pick<JudgedCall, 'precondition_refs'>,
  reaches: (path: string) => boolean,
): PreconditionRef | undefined =>
  precondition_refs.find(({ kind, ref }) => {
    const path = parsed(ref);
    return kind === 'path' && !(path instanceof Fault) && !reaches(path);
  });

async function unmetReason(
  trees: Trees,
  tenantId: TenantId,
  head: string,
  { kind, ref, version }: PreconditionRef,
  versions: Versions | null,
): Promise<string | null> {
  // It was verified when the call was decided, and says nothing about the workspace: see decide-staged.ts.
  if (kind === 'staged') return null;
  if (kind === 'snapshot') return version === head ? null : 'the workspace is in another state than the named snapshot';
  if (kind === 'external_version') {
    const current = versions === null ? null : Object.hasOwn(versions, ref) ? versions[ref] : ABSENT;
    return current === version ? null : `\`${ref.slice(0, 256)}\` has another external version than named`;
  }
  const path = parsed(ref);
  if (path instanceof Fault) return path.message;
  const state = await trees.at(tenantId, head, path);
  return (state === null ? ABSENT : state.sha256) === version
    ? null
    : `\`${path.slice(0, 256)}\` has another content than named`;
}

/** The path, or why it is none. */
function parsed(ref: string): WorkspacePath | Fault {
  try {
    return parsePath(ref);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
