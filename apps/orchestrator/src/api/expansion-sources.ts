// SPDX-License-Identifier: Apache-2.0
import type { OperationId } from '@writ/contract';
import { parseJson } from '@writ/digest';
import type { KernelClient } from '../calls/kernel/kernel-client.ts';
import type { ShowOperation } from '../calls/show-operation.ts';
import type { ReadReceipt } from '../delivery/read-receipt.ts';
import type { ExpansionSource } from '../edge/expansions/expansions.ts';
import { EXPANDED_ROWS_MAX } from '../edge/requests/route.ts';
import type { ChangeSessions } from '../runs/conversations/change-sessions.ts';
import type { ReadApproval } from './approvals/read-approval.ts';
import { sessionView } from './sessions/run-views.ts';

/**
 * What expansions show, by the id of the route that shows the same. Each source asks whom its route asks, as the
 * caller: who decides what a caller may see decides it here, too.
 */
export function expansionSources(
  kernel: KernelClient,
  show: ShowOperation,
  receipts: ReadReceipt,
  sessions: ChangeSessions,
  approvals: Pick<ReadApproval, 'read'>,
): Readonly<Record<string, ExpansionSource>> {
  return {
    readAgent: (caller, { agent_id = '' }) => kernel.ask('agent.read', caller, { agent_id }),
    readApproval: (caller, { approval_id = '' }) => approvals.read(caller, approval_id),
    readOperation: async (caller, { operation_id = '' }) =>
      await show.view(caller, await kernel.ask('operation.read', caller, { operation_id })),
    // The file has a fixed form, which is JSON.
    readReceipt: async (caller, { operation_id = '' }) =>
      parseJson(await receipts.run(caller, operation_id as OperationId, null)),
    readSession: async (caller, { session_id = '' }) => sessionView(await sessions.read(caller, session_id)),
    listTokens: (caller, { parent_id = '' }) =>
      kernel.ask('token.list', caller, { page: { cursor: null, limit: EXPANDED_ROWS_MAX }, agent_id: null, parent_id }),
  };
}
