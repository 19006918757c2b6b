// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from './api.ts';
import { eventually, type World } from './world.ts';

/** The answer to a call, and the file of its receipt. */
export interface CallReceipt {
  readonly body: JsonValue;
  readonly file: string;
}

/**
 * Makes a call that changes a file, and waits for its receipt. Retries a call that is rejected for load or during a key
 * change, as any client would.
 */
export async function receiptOfCall(world: World, timeoutMs: number): Promise<CallReceipt> {
  const body = await eventually(
    'a call that goes through',
    async () => {
      const answer = await world.call('fs.write', { path: 'a.txt', content: String(Math.random()) }).catch(() => null);
      return answer?.status === 200 ? answer.body : null;
    },
    timeoutMs,
  );
  const { text } = await eventually(
    'its receipt',
    async () => {
      const answer = await world.admin.get(`/v1/operations/${String(body.operation_id)}/receipt`);
      return answer.status === 200 ? answer : null;
    },
    timeoutMs,
  );
  return { body, file: text };
}
