// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** Who proposes a call. */
interface Proposer {
  readonly tenant_id: string;
  readonly proposed_by: string;
}

/**
 * INVARIANT (bound replays): a credential that was exchanged finds out nothing of a call under a token that it doesn't
 * reach, not even that an idempotency key is in use. The trigger that binds its calls sees only calls that are new.
 * @param original the call that the answer would be about
 * @throws Fault `token.agent`
 */
export async function verifyMaySee(
  pool: TenantPool['pool'],
  { tenant_id, proposed_by }: Proposer,
  original: OperationRow | null,
): Promise<void> {
  if (original === null || original.proposed_by === proposed_by) return;
  const asked = { tenant: tenant_id as TenantId, key: proposed_by, operation: original.operation_id, token: null };
  if ((await kernelSql.boundReach(pool, asked)) === false)
    throw new Fault('token.agent', 'the credential is bound to another capability token');
}
