// SPDX-License-Identifier: Apache-2.0
import { Fault, type PreconditionRef, type TenantId } from '@writ/contract';
import { parsePath, type WorkspacePath } from '@writ/workspace';
import type { Trees } from '../../foundation/workspace/trees.ts';
import { refusal, type JudgedCall, type Refusal } from './call.ts';
import { ABSENT, type Versions } from './versions.ts';

/**
 * Decides whether everything that the call relies on holds at the head; null when it does. They are checked again when
 * the call commits. What can't be checked doesn't hold: `versions` is null where nobody read them.
 */
export async function decidePreconditions(
  trees: Trees,
  call: Pick<JudgedCall, 'tenant_id' | 'precondition_refs'>,
  head: string,
  versions: Versions | null = null,
): Promise<Refusal | null> {
  for (const ref of call.precondition_refs) {
    const fault = await unmet(trees, call.tenant_id, head, ref, versions);
    if (fault !== null)
      return refusal('precondition.failed', fault, 'read the present state and propose the call anew');
  }
  return null;
}

async function unmet(
  trees: Trees,
  tenantId: TenantId,
  head: string,
  { kind, ref, version }: PreconditionRef,
  versions: Versions | null,
): Promise<string | null> {
  if (kind === 'snapshot') return version === head ? null : 'the workspace is in another state than the named snapshot';
  if (kind === 'resource') {
    const stands = versions === null ? null : Object.hasOwn(versions, ref) ? versions[ref] : ABSENT;
    return stands === version ? null : `the resource \`${ref.slice(0, 256)}\` has another version than named`;
  }
  let path: WorkspacePath;
  try {
    path = parsePath(ref);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  const state = await trees.at(tenantId, head, path);
  return (state === null ? ABSENT : state.sha256) === version
    ? null
    : `\`${path.slice(0, 256)}\` has another content than named`;
}
