// SPDX-License-Identifier: Apache-2.0
import type { Notice } from '@writ/contract';
import type { ApprovalChange } from '../../store/channels/channel-messages.ts';

/** Notices that ask people. Any other one about an approval changes only the message that is there. */
const ASKING: ReadonlySet<string> = new Set(['approval.pending', 'approval.escalated', 'approval.reminder']);

/** The changes of approvals among the notices, one for each approval. */
export function changesOf(notices: readonly Notice[]): ApprovalChange[] {
  const asks = new Map<string, boolean>();
  for (const notice of notices) {
    if (!('approval_id' in notice) || notice.approval_id === null || !notice.kind.startsWith('approval.')) continue;
    const { approval_id, kind } = notice;
    asks.set(approval_id, (asks.get(approval_id) ?? false) || ASKING.has(kind));
  }
  return [...asks].map(([approval_id, isAsking]) => ({ approval_id, asks: isAsking }));
}
