// SPDX-License-Identifier: Apache-2.0
//
// Sandboxes, execution profiles and skills are stored under their names, and granted like all resources.
// INVARIANT (unknown like ungranted): an agent can't tell one that isn't granted to it from one that doesn't exist.
// INVARIANT (read each time): the grant is read when a call is decided and again when it runs.
import { MK8_RUN, SHELL_DANGEROUS, SKILL_READ, type Clearance, type ResourceKind } from '@writ/contract';
import { profileNameOf } from '@writ/mk8-shell/dangerous';
import { sandboxNameOf } from '@writ/mk8-shell/tool';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { resourcesFor } from './registered-resources.ts';

/** The longest name of a sandbox, a profile or a skill. */
const NAME_CHARS_MAX = 64;

type Caller = Parameters<typeof resourcesFor>[1];

/** What a call names of them, with the clearance of its grant; null: it isn't granted, or isn't there. */
export interface GrantedDefinition {
  readonly kind: Extract<ResourceKind, 'sandbox' | 'profile' | 'skill'>;
  readonly name: string;
  readonly clearance: Clearance | null;
}

/** The sandbox, profile or skill that the arguments name; null where they name none. Total and pure. */
export function namedDefinition(
  toolId: string,
  args: Readonly<Record<string, unknown>>,
): Pick<GrantedDefinition, 'kind' | 'name'> | null {
  switch (toolId) {
    case MK8_RUN.tool_id: {
      const name = sandboxNameOf(args);
      return name === null ? null : { kind: 'sandbox', name };
    }
    case SHELL_DANGEROUS.tool_id: {
      const name = profileNameOf(args);
      return name === null ? null : { kind: 'profile', name };
    }
    case SKILL_READ.tool_id:
      return typeof args['skill'] === 'string' ? { kind: 'skill', name: args['skill'] } : null;
    default:
      return null;
  }
}

/** The same with its grant to the agent, as it is now. */
export async function grantedDefinition(
  tenants: TenantPool,
  call: Caller & { readonly tool_id: string },
  args: Readonly<Record<string, unknown>>,
): Promise<GrantedDefinition | null> {
  const named = namedDefinition(call.tool_id, args);
  if (named === null) return null;
  const clearances = await clearancesOf(tenants, call, named.kind, [named.name]);
  return { ...named, clearance: clearances.get(named.name) ?? null };
}

/** The names of the kind that the agent is granted, among those given, with the clearance of each. */
export async function clearancesOf(
  tenants: TenantPool,
  caller: Caller,
  kind: GrantedDefinition['kind'],
  names: readonly string[],
): Promise<ReadonlyMap<string, Clearance>> {
  // The database refuses a NUL, and no name has one.
  const plain = names.filter((name) => name.length <= NAME_CHARS_MAX && !name.includes('\0'));
  const found = await resourcesFor(
    tenants,
    caller,
    plain.map((ref) => ({ kind, ref, right: 'use', pointer: '' })),
  );
  return new Map(
    found.flatMap(({ reference: { ref }, resource, clearance }) =>
      // A name can look like the id of another resource.
      resource?.name === ref && clearance !== null ? [[ref, clearance] as const] : [],
    ),
  );
}
