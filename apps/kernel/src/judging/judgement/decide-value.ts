// SPDX-License-Identifier: Apache-2.0
import { VALUE_GET } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import { stricter, type Corridor } from './decide-supervision.ts';
import { sessionOf } from './facts.ts';
import { grantsSecret } from './given-secrets.ts';

/** The value that a call requests. */
export interface ValueRequest {
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly session_id: string | null;
  readonly capability_token_id: string;
  readonly name: string;
  readonly secret: boolean;
}

/** The value that a call of the tool requests: a secret, unless the call declares that it is none. */
export function valueRequestOf(
  call: Omit<ValueRequest, 'name' | 'secret'>,
  args: Readonly<Record<string, unknown>>,
): ValueRequest {
  const { tenant_id, agent_id, session_id, capability_token_id } = call;
  return {
    tenant_id,
    agent_id,
    session_id,
    capability_token_id,
    name: String(args['key']),
    secret: args['secret'] !== false,
  };
}

/** Whether the value that the call requests exists already; false, without a query, for a call that requests none. */
export async function readValueExists(
  tenants: TenantPool,
  call: JudgedCall,
  args: Arguments | Refusal,
): Promise<boolean> {
  if (call.tool_id !== VALUE_GET.tool_id || 'effect' in args || typeof args.value['key'] !== 'string') return false;
  const { tenant_id, agent_id, name, secret } = valueRequestOf(call, args.value);
  return await kernelSql.valueKnown(tenants.pool, {
    tenant: tenant_id,
    agent: agent_id,
    session: sessionOf(call),
    name,
    secret,
  });
}

/**
 * Decides on a call that requests a value, given what supervision decided: it waits for a person who gives the value,
 * unless the value exists, or it asks nobody. For a secret that its token doesn't grant, only what a person gave to the
 * session counts, and giving it is the grant. Null for any other call.
 */
export function decideValue(
  call: JudgedCall,
  facts: CallFacts,
  args: Arguments,
  corridor: Exclude<Corridor, { effect: 'refuse' }>,
  isGiven: boolean,
): Corridor | null {
  if (call.tool_id !== VALUE_GET.tool_id) return null;
  const { name, secret } = valueRequestOf(call, args.value);
  const { mode } = corridor;
  const isGranted = !secret || grantsSecret(facts.chain, name);
  const exists = isGranted ? facts.value_exists === true : (facts.given_secrets ?? []).includes(name);
  if (isGiven || (exists && corridor.effect === 'allow')) return corridor;
  const refused = refuseWithoutPerson(call, name, args.value['ask'] !== false, isGranted);
  if (refused !== null) return { ...refused, mode };
  const wanted = {
    code: 'value.wanted',
    message: isGranted
      ? `the call asks a person for the value \`${name}\``
      : `the call asks a person for the secret \`${name}\`, which its token does not grant: giving it lets this session use it`,
  };
  return {
    effect: 'hold',
    mode: stricter(mode, 'soft_gate') === 'escalated' ? 'escalated' : 'soft_gate',
    reasons: [wanted, ...(corridor.effect === 'hold' ? corridor.reasons : [])],
  };
}

/** The refusal of a request for a value that isn't there, where nobody is asked for it; null where a person is. */
function refuseWithoutPerson(
  { session_mode }: JudgedCall,
  name: string,
  asks: boolean,
  isGranted: boolean,
): Refusal | null {
  if (session_mode === 'interactive' && asks) return null;
  const nobody = asks ? `a ${session_mode} session has nobody to ask` : 'the call asks nobody for it';
  if (!isGranted)
    return refusal(
      'token.scope',
      `the capability token does not let the secret \`${name}\` be used, and ${nobody}`,
      `a token that grants the secret \`${name}\` would do, or a person who gives it in an interactive session; other values need \`"secret": false\``,
    );
  return refusal(
    'value.missing',
    `the value \`${name}\` is not there, and ${nobody}`,
    asks
      ? 'ask for it in an interactive session, or have it stored first'
      : 'ask a person for it first, with `value.get`',
  );
}
