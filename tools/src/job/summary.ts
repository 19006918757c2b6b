// SPDX-License-Identifier: Apache-2.0
import { describeCall } from './describe-call.ts';
import type { CheckedReceipt } from './receipts.ts';
import type { JobCall } from './result.ts';
import type { Entry } from './tool-client.ts';

function decisionOf({ operation, approval, isRepeat, result }: Entry): JobCall['decision'] {
  if (isRepeat) return 'repeated';
  if (approval === null) return operation.state === 'refused' ? 'refused' : 'admitted';
  return result.error?.code === 'approval.denied' ? 'held, denied' : 'held, approved';
}

/** The calls of a run, for the table and `last-run.json`. */
export function summarize(journal: readonly Entry[], receipts: readonly CheckedReceipt[]): JobCall[] {
  return journal.map((entry, index) => {
    const { call, by, operation, result, ms } = entry;
    const own = receipts.filter(({ receipt }) => receipt.operationId === operation.operation_id);
    return {
      n: index + 1,
      tool_id: call.tool_id,
      what: describeCall(call),
      by,
      decision: decisionOf(entry),
      state: operation.state,
      tx_outcome: result.tx_outcome,
      code: result.error?.code ?? null,
      operation_id: operation.operation_id,
      receipt: own.at(-1)?.receipt.path ?? null,
      verified: own.length > 0 && own.every(({ isVerified }) => isVerified),
      ms: Math.round(ms),
    };
  });
}
