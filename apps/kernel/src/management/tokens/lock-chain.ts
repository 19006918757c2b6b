// SPDX-License-Identifier: Apache-2.0
import type { Caller, CapabilityToken } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireFound, agentFilterOf, type Rows } from '../../foundation/tenancy/index.ts';
import { storedToken } from './token-view.ts';

/**
 * The chain from the parent to the root. None of its tokens can be revoked before this transaction ends.
 * @throws Fault `not_found`
 */
export async function lockChain(rows: Rows, caller: Caller, parentId: string): Promise<CapabilityToken[]> {
  const { tenant_id } = caller;
  const { chain } = requireFound(
    await rows.token.findFirst({
      where: { AND: [{ tenant_id, capability_token_id: parentId }, agentFilterOf(caller)] },
      select: { chain: true },
    }),
  );
  await callIn(rows, kernelSql.holdRules, { tenant: tenant_id });
  const stored = await rows.token.findMany({ where: { capability_token_id: { in: chain } } });
  return chain
    .toReversed()
    .map((id) => storedToken(requireFound(stored.find((row) => row.capability_token_id === id))));
}
