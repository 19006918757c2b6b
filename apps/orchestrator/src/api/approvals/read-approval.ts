// SPDX-License-Identifier: Apache-2.0
import { PRINCIPALS_MAX, type ApprovalView, type Caller } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { OtherNames } from '../../calls/other-names.ts';

/**
 * One approval with what its caller may decide. The kernel takes `PRINCIPALS_MAX` names and refuses a decision with
 * more. INVARIANT (no answer for fewer names): whoever has more is told nothing about what they may decide.
 */
export async function readApproval(
  kernel: Pick<KernelClient, 'ask'>,
  names: Pick<OtherNames, 'of'>,
  caller: Caller,
  approvalId: string,
): Promise<ApprovalView> {
  const known = await names.of(caller);
  const approval_id = approvalId;
  if ((known.other_names?.length ?? 0) <= PRINCIPALS_MAX)
    return await kernel.ask('approval.read', caller, { approval_id, ...known });
  const { you: _, ...approval } = await kernel.ask('approval.read', caller, { approval_id });
  return approval;
}
