// SPDX-License-Identifier: Apache-2.0
//
// A secret may be used where every token of the chain grants it, or where a person gave it to the session. INVARIANT
// (the answer is the grant): a value that a person gave, knowing that no token grants its name, may be used in that
// session of that agent, until it expires. It grants nothing else: neither the tenant's secret of the name, nor another
// session.
import { secretsNamed, TOOLS, VALUE_GET, type Grant } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Arguments, CallFacts, JudgedCall, Refusal } from './call.ts';
import { sessionOf } from './facts.ts';

/** Whether every token of the chain grants the secret; a chain without tokens grants none. */
export const grantsSecret = (
  chain: readonly { readonly token: { readonly grant: Pick<Grant, 'secrets'> } }[],
  name: string,
): boolean => chain.length > 0 && chain.every(({ token }) => token.grant.secrets.includes(name));

/**
 * Which secrets among those that the call names or requests were given to its session, of those that its token doesn't
 * grant. Mostly there are none of them; then nothing is queried.
 */
export async function readGivenSecrets(
  tenants: TenantPool,
  call: JudgedCall,
  { chain, tool }: Pick<CallFacts, 'chain' | 'tool'>,
  args: Arguments | Refusal,
): Promise<readonly string[]> {
  const definition = TOOLS.get(call.tool_id) ?? tool ?? null;
  if (definition === null || 'effect' in args) return [];
  const { key } = args.value;
  const requested = call.tool_id === VALUE_GET.tool_id && typeof key === 'string' ? [key] : [];
  const names = [...requested, ...secretsNamed(definition, args.value).names].filter(
    (name) => !grantsSecret(chain, name),
  );
  return names.length === 0
    ? []
    : await kernelSql.secretsGiven(tenants.pool, {
        tenant: call.tenant_id,
        agent: call.agent_id,
        session: sessionOf(call),
        names,
        operation: call.operation_id,
      });
}
