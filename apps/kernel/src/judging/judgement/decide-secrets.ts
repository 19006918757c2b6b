// SPDX-License-Identifier: Apache-2.0
import { secretReference, secretsNamed, TOOLS } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import type { WellFormed } from './decide-form.ts';
import { sessionOf } from './facts.ts';
import { grantsSecret } from './given-secrets.ts';

/**
 * Which of the secrets that the call names exist, for its session or for the tenant. Most calls name none; nothing is
 * queried for them.
 */
export async function readExistingSecrets(
  tenants: TenantPool,
  call: JudgedCall,
  facts: CallFacts,
  args: Arguments | Refusal,
): Promise<readonly string[]> {
  const tool = TOOLS.get(call.tool_id) ?? facts.tool ?? null;
  const names = tool === null || 'effect' in args ? [] : secretsNamed(tool, args.value).names;
  return names.length === 0
    ? []
    : await kernelSql.secretsKnown(tenants.pool, {
        tenant: call.tenant_id,
        agent: call.agent_id,
        session: sessionOf(call),
        names,
      });
}

/**
 * Decides whether the call may use the secrets that it names: a person gave each to its session, or every token of the
 * chain grants it and it exists. Null: it may.
 */
export function decideSecrets(
  { chain, secrets = [], given_secrets = [] }: CallFacts,
  form: WellFormed,
): Refusal | null {
  for (const name of form.secrets) {
    if (!grantsSecret(chain, name)) {
      if (given_secrets.includes(name)) continue;
      return refusal(
        'token.scope',
        `the capability token does not let the secret \`${name}\` be used`,
        `a token that grants the secret \`${name}\` would do, or ask a person for it with \`value.get\``,
      );
    }
    if (!secrets.includes(name))
      return refusal(
        'secret.unknown',
        `there is no secret \`${name}\``,
        `have it set (\`writ secret set ${name}\`), ask for it with \`value.get\`, or write \`$${secretReference(name)}\` for the text itself`,
      );
  }
  return null;
}
