// SPDX-License-Identifier: Apache-2.0
import { VALUE_GET } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import { stricter, type Corridor } from './decide-supervision.ts';
import { sessionOf } from './facts.ts';

/** Whose value is meant. */
export interface ValueAsk {
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly session_id: string | null;
  readonly capability_token_id: string;
  readonly name: string;
  readonly secret: boolean;
}

/** What a call of the tool asks for: a secret, unless it says that it is none. */
export function askOf(call: Omit<ValueAsk, 'name' | 'secret'>, args: Readonly<Record<string, unknown>>): ValueAsk {
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

/**
 * Whether the value that the call asks for is there already; false, and nothing asked, for a call that asks for none.
 */
export async function readValueKnown(
  tenants: TenantPool,
  call: JudgedCall,
  args: Arguments | Refusal,
): Promise<boolean> {
  if (call.tool_id !== VALUE_GET.tool_id || 'effect' in args || typeof args.value['key'] !== 'string') return false;
  const { tenant_id, agent_id, name, secret } = askOf(call, args.value);
  return await kernelSql.valueKnown(tenants.pool, {
    tenant: tenant_id,
    agent: agent_id,
    session: sessionOf(call),
    name,
    secret,
  });
}

/**
 * Decides what becomes of a call that asks for a value, given what supervision makes of it: it waits for a person who
 * gives one, unless it is there. A secret is asked for only under a token that may use it. Null for any other call.
 */
export function decideValue(
  call: JudgedCall,
  facts: CallFacts,
  args: Arguments,
  corridor: Exclude<Corridor, { effect: 'refuse' }>,
  isGiven: boolean,
): Corridor | null {
  if (call.tool_id !== VALUE_GET.tool_id) return null;
  const { name, secret } = askOf(call, args.value);
  const { mode } = corridor;
  if (secret && !facts.chain.every(({ token }) => token.grant.secrets.includes(name))) {
    return {
      ...refusal(
        'token.scope',
        `the capability token does not let the secret \`${name}\` be used`,
        `a token that grants the secret \`${name}\` would do; what is no secret is asked for with \`"secret": false\``,
      ),
      mode,
    };
  }
  if (isGiven || (facts.value_known === true && corridor.effect === 'allow')) return corridor;
  if (call.session_mode !== 'interactive') {
    return {
      ...refusal(
        'value.missing',
        `the value \`${name}\` is not there, and a ${call.session_mode} session has nobody to ask`,
        'ask for it in an interactive session, or have it stored first',
      ),
      mode,
    };
  }
  const wanted = { code: 'value.wanted', message: `the call asks a person for the value \`${name}\`` };
  return {
    effect: 'hold',
    mode: stricter(mode, 'soft_gate') === 'escalated' ? 'escalated' : 'soft_gate',
    reasons: [wanted, ...(corridor.effect === 'hold' ? corridor.reasons : [])],
  };
}
