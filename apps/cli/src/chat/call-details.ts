// SPDX-License-Identifier: Apache-2.0
import { OperationView, TextDiff } from '@writ/contract';
import { describeDiff } from '../describe-approval.ts';
import { CliError } from '../cli-error.ts';
import type { Client } from '../http/client.ts';
import { queryOf } from '../http/lists.ts';
import type { CallDetails } from './run-view.ts';

/**
 * Reads the details that are shown beside a call, with the viewer's key. Details that the key may not read are left
 * out, and the run continues.
 */
export const readDetailsWith = (client: Client): CallDetails => ({
  operation: async (operationId) =>
    await nullOnError(client.read(OperationView, `/v1/operations/${encodeURIComponent(operationId)}`)),
  changes: async ({ workspace_id, result }) => {
    if (
      workspace_id === null ||
      result === null ||
      result.new_snapshot_id === null ||
      result.state_snapshot_id === null
    )
      return null;
    const query = queryOf({ from: result.state_snapshot_id, to: result.new_snapshot_id });
    const diff = await nullOnError(
      client.read(TextDiff, `/v1/workspaces/${encodeURIComponent(workspace_id)}/diff/text${query}`),
    );
    return diff === null || diff.files_total === 0 ? null : describeDiff(diff);
  },
});

async function nullOnError<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}
