// SPDX-License-Identifier: Apache-2.0
//
// The registered sandbox that a script is to run in. INVARIANT (verified for each decision): it is read and verified
// anew whenever a call is judged, also where everything else is remembered, and what it was then is part of the tool's
// digest: what runs later runs in that or not at all.
import { Fault, MK8_RUN, type FaultCode, type Reason } from '@writ/contract';
import { sandboxNamed } from '@writ/mk8-shell/tool';
import type { SignedSandbox } from '@writ/mk8-shell';
import { sandboxFor } from '../tools/script-sandboxes.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

const HINTS: Partial<Record<FaultCode, string>> = {
  'sandbox.unknown':
    "an agent can't register one: tell the person whom you work for, or leave `sandbox` out to run under what is shipped",
  'sandbox.unverified': "an agent can't sign one: tell the person whom you work for",
};

/**
 * The sandbox that the call names, verified now, or why there is none to run in; null for a call that names none.
 * Faults only where it can't be read.
 */
export async function readSandboxNamed(
  tenants: TenantPool,
  { tenant_id, tool_id }: Pick<JudgedCall, 'tenant_id' | 'tool_id'>,
  args: Arguments | Refusal,
): Promise<SignedSandbox | Refusal | null> {
  const name = tool_id !== MK8_RUN.tool_id || 'effect' in args ? null : sandboxNamed(args.value);
  if (name === null) return null;
  try {
    return await sandboxFor(tenants, tenant_id, name);
  } catch (error) {
    if (!(error instanceof Fault) || HINTS[error.code] === undefined) throw error;
    return refusal(error.code, error.message, HINTS[error.code]);
  }
}

/**
 * Decides whether a script may run in the sandbox that its call names: one that is there, as its registrar signed it,
 * and of the call's own workspace. Null: it may, or the call names none.
 */
export function decideSandbox(
  { workspace_id, tool_id }: JudgedCall,
  { sandbox = null }: CallFacts,
  args: Arguments | Refusal,
): Refusal | null {
  const name = tool_id !== MK8_RUN.tool_id || 'effect' in args ? null : sandboxNamed(args.value);
  if (name === null) return null;
  if (sandbox === null)
    return refusal('sandbox.unverified', `nothing runs in the sandbox \`${name}\`: nobody looked whether it is signed`);
  if ('effect' in sandbox) return sandbox;
  return sandbox.name === name && sandbox.workspace_id === workspace_id
    ? null
    : refusal(
        'args.invalid',
        `\`/sandbox\` names a sandbox of another workspace: scripts in \`${name}\` run in the workspace that it is registered for`,
        "name a sandbox of the call's workspace, or propose the call in the sandbox's",
      );
}

/** For whoever reads the decision: which sandbox the script runs in, as it is now. */
export const sandboxReason = ({ sandbox = null }: CallFacts): Reason[] =>
  sandbox === null || 'effect' in sandbox
    ? []
    : [
        {
          code: 'sandbox.signed',
          message: `it runs in the sandbox \`${sandbox.name}\` as \`${sandbox.keyid}\` signed it: ${sandbox.digest}`,
        },
      ];
