// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { TestKernel } from './test-kernel.ts';

/** The effect that an approval shows to a person, as a request to approve names it; null for an action. */
export async function shownEffectDigest(
  kernel: Pick<TestKernel, 'approvals'>,
  tenant_id: string,
  approvalId: string | null,
): Promise<string | null> {
  const caller: Caller = { tenant_id, api_key_id: newId('apiKey'), role: 'auditor', agent_id: null };
  return (await kernel.approvals.read({ v: 1, caller, approval_id: approvalId ?? '' })).binding.effect_digest;
}
