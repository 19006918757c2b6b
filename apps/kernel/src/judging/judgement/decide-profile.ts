// SPDX-License-Identifier: Apache-2.0
//
// The execution profile that a raw command is to run under. INVARIANT (named by every token): a profile counts for a
// call only where each token of its chain names it. INVARIANT (read for each decision): the profile at that moment is
// part of the tool's digest. The call later runs under exactly that profile or not at all.
import { Fault, SHELL_DANGEROUS, type Reason } from '@writ/contract';
import { profileNameOf } from '@writ/mk8-shell/dangerous';
import { profileFor, type CurrentProfile } from '../definitions/execution-profiles.ts';
import type { GrantedDefinition } from '../definitions/granted-definitions.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

/**
 * The profile that the call names, read now; null where it names none, or one that doesn't exist or isn't granted to
 * the agent. Faults only where it can't be read.
 */
export async function readNamedProfile(
  tenants: TenantPool,
  { tenant_id, tool_id }: Pick<JudgedCall, 'tenant_id' | 'tool_id'>,
  args: Arguments | Refusal,
  granted: GrantedDefinition | null,
): Promise<CurrentProfile | null> {
  const name = tool_id !== SHELL_DANGEROUS.tool_id || 'effect' in args ? null : profileNameOf(args.value);
  if (name === null || granted === null || granted.clearance === null) return null;
  try {
    return await profileFor(tenants, tenant_id, name);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'profile.unknown') throw error;
    return null;
  }
}

/**
 * Decides whether a raw command, whose arguments are valid, may run under the profile that it names. Null: it may, or
 * the call is no raw command.
 */
export function decideProfile(
  { workspace_id, tool_id }: JudgedCall,
  { chain, profile = null }: CallFacts,
  { value }: Arguments,
): Refusal | null {
  if (tool_id !== SHELL_DANGEROUS.tool_id) return null;
  const name = profileNameOf(value) ?? '';
  if (!chain.every(({ token }) => token.grant.profiles?.includes(name) === true)) {
    return refusal(
      'token.scope',
      `the capability token does not name the execution profile \`${name}\``,
      `a token that names the profile \`${name}\` would do`,
    );
  }
  if (value['shell'] === 'CommandPrompt')
    return refusal(
      'shell.unavailable',
      '`CommandPrompt` is part of Windows, and calls run on Linux',
      'write it for `Bash`, or as a script of `mk8.run`',
    );
  if (profile === null || profile.name !== name)
    return refusal(
      'profile.unknown',
      `there is no execution profile \`${name}\``,
      "an agent can't register one: tell the person whom you work for (`writ profile create`)",
    );
  const definition = profile.profile;
  if (definition.workspace_id !== null && definition.workspace_id !== workspace_id)
    return refusal('token.scope', `the execution profile \`${name}\` is for another workspace`);
  if (!definition.shells.some((shell) => shell === value['shell']))
    return refusal(
      'token.scope',
      `the execution profile \`${name}\` does not let \`${String(value['shell'])}\` be used`,
      `it lets ${definition.shells.map((shell) => `\`${shell}\``).join(', ')} be used`,
    );
  return null;
}

/** A reason for readers of the decision: the profile that the command runs under, as it is now. */
export const profileReason = ({ profile = null }: CallFacts): Reason[] =>
  profile === null
    ? []
    : [
        {
          code: 'profile.named',
          message: `it runs under the execution profile \`${profile.name}\`: ${profile.digest}`,
        },
      ];
