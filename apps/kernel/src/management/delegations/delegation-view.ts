// SPDX-License-Identifier: Apache-2.0
import { parseMessage, DelegationView } from '@writ/contract';
import type { PlainRow } from '../../foundation/tenancy/index.ts';
import type { delegation } from '../../generated/prisma/client.ts';

export type DelegationRow = PlainRow<delegation>;

/** `now`: milliseconds on the database's clock. */
export function delegationView(row: DelegationRow, now: number): DelegationView {
  const {
    delegation_id,
    from_principal,
    role,
    to_principal,
    tools,
    agent_id,
    autonomy_mode,
    note,
    created_at,
    created_by,
    expires_at,
    revoked_at,
    revoked_by,
  } = row;
  return parseMessage(DelegationView, {
    delegation_id,
    from: from_principal,
    role,
    to: to_principal,
    scope: { tools: tools.length === 0 ? null : tools, agent_id, autonomy_mode },
    note,
    state: revoked_at !== null ? 'revoked' : expires_at <= now ? 'expired' : 'standing',
    created_at,
    created_by,
    expires_at,
    revoked_at,
    revoked_by,
  });
}
