// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Caller } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** Calls of one page. */
const ROWS = 200;

/**
 * Cancels the calls of a run that have not ended, including held ones. It reads all pages of the session's calls, and
 * ignores calls that end meanwhile.
 */
export async function cancelCalls(
  kernel: Pick<KernelClient, 'ask'>,
  caller: Caller,
  session_id: string,
  runId: string,
): Promise<void> {
  for (let cursor: string | null = null; ;) {
    const { items, next_cursor }: Awaited<ReturnType<typeof page>> = await page(kernel, caller, session_id, cursor);
    for (const { operation_id, state, provenance } of items) {
      if (isFinal(state) || provenance.run_id !== runId) continue;
      await kernel.ask('operation.cancel', caller, { operation_id }).catch((error: unknown) => {
        if (!(error instanceof Fault && error.code === 'conflict')) throw error;
      });
    }
    if (next_cursor === null) return;
    cursor = next_cursor;
  }
}

const page = (kernel: Pick<KernelClient, 'ask'>, caller: Caller, session_id: string, cursor: string | null) =>
  kernel.ask('operation.list', caller, {
    page: { cursor, limit: ROWS },
    state: null,
    tool_id: null,
    agent_id: null,
    workspace_id: null,
    session_id,
  });
