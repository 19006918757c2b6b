// SPDX-License-Identifier: Apache-2.0
//
// The registered sandbox that a script is to run in. INVARIANT (verified for each decision): it is read and verified
// anew whenever a call is judged, also where everything else is cached. The sandbox at that moment is part of the
// tool's digest: the script later runs in exactly that sandbox or not at all.
import { Fault, MK8_RUN, type FaultCode, type Reason } from '@writ/contract';
import { DEFAULT_SANDBOX, type SignedSandbox } from '@writ/mk8-shell';
import { sandboxNameOf } from '@writ/mk8-shell/tool';
import type { GrantedDefinition } from '../definitions/granted-definitions.ts';
import { resourcesFor } from '../definitions/registered-resources.ts';
import { sandboxFor, sandboxUnknown } from '../definitions/script-sandboxes.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

const HINTS: Partial<Record<FaultCode, string>> = {
  'sandbox.unknown':
    "an agent can't register one: tell the person whom you work for, or leave `sandbox` out to run under what is shipped",
  'sandbox.unverified': "an agent can't sign one: tell the person whom you work for",
};

/**
 * The sandbox that the call names, verified now, or the reason why it has none; null for a call that names none. Faults
 * only where it can't be read.
 *
 * @param granted as it is granted to the agent: one that isn't counts as unknown
 */
export async function readNamedSandbox(
  tenants: TenantPool,
  call: Pick<JudgedCall, 'tenant_id' | 'tool_id' | 'agent_id'>,
  args: Arguments | Refusal,
  granted: GrantedDefinition | null,
): Promise<SignedSandbox | Refusal | null> {
  const { tenant_id, tool_id } = call;
  if (tool_id !== MK8_RUN.tool_id || 'effect' in args) return null;
  const name = sandboxNameOf(args.value);
  const mismatch = () => refuseResource(tenants, call, name ?? DEFAULT_SANDBOX.name, args.value['resource']);
  if (name === null) return await mismatch();
  try {
    if (granted === null || granted.clearance === null) throw sandboxUnknown(name);
    const sandbox = await sandboxFor(tenants, tenant_id, name);
    return (await mismatch()) ?? sandbox;
  } catch (error) {
    if (!(error instanceof Fault) || HINTS[error.code] === undefined) throw error;
    return refusal(error.code, error.message, HINTS[error.code]);
  }
}

/**
 * Refuses a call whose resource isn't that of its sandbox: it was written for another one. A resource that doesn't
 * exist and one that isn't granted get the same answer. Null: it is that one, or the call names none.
 */
async function refuseResource(
  tenants: TenantPool,
  call: Pick<JudgedCall, 'tenant_id' | 'agent_id'>,
  sandbox: string,
  ref: unknown,
): Promise<Refusal | null> {
  if (typeof ref !== 'string' || ref === sandbox) return null;
  const reference = { kind: 'sandbox', ref: ref.replaceAll('\0', ''), right: 'use', pointer: '/resource' } as const;
  const [named] = await resourcesFor(tenants, call, [reference]);
  if (named?.resource?.name === sandbox) return null;
  return refusal(
    'args.invalid',
    `\`/resource\` is not the resource of the sandbox \`${sandbox}\`, which \`/sandbox\` names`,
    'leave `resource` out, or give the id that `writ resource list --kind sandbox` shows for the sandbox',
  );
}

/**
 * Decides whether a script may run in the sandbox that its call names: one that exists, as its registrar signed it, and
 * for the call's own workspace. Null: it may, or the call names none.
 */
export function decideSandbox(
  { workspace_id, tool_id }: JudgedCall,
  { sandbox = null }: CallFacts,
  args: Arguments | Refusal,
): Refusal | null {
  if (tool_id !== MK8_RUN.tool_id || 'effect' in args) return null;
  if (sandbox !== null && 'effect' in sandbox) return sandbox;
  const name = sandboxNameOf(args.value);
  if (name === null) return null;
  if (sandbox === null)
    return refusal('sandbox.unverified', `nothing runs in the sandbox \`${name}\`: its signature was not checked`);
  return sandbox.name === name && sandbox.workspace_id === workspace_id
    ? null
    : refusal(
        'args.invalid',
        `\`/sandbox\` names a sandbox of another workspace: scripts in \`${name}\` run in the workspace that it is registered for`,
        "name a sandbox of the call's workspace, or propose the call in the sandbox's",
      );
}

/** A reason for readers of the decision: the sandbox that the script runs in, as it is now. */
export const sandboxReason = ({ sandbox = null }: CallFacts): Reason[] =>
  sandbox === null || 'effect' in sandbox
    ? []
    : [
        {
          code: 'sandbox.signed',
          message: `it runs in the sandbox \`${sandbox.name}\` as \`${sandbox.keyid}\` signed it: ${sandbox.digest}`,
        },
      ];
