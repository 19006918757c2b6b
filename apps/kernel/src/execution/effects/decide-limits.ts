// SPDX-License-Identifier: Apache-2.0
import type { Delta, ToolDefinition } from '@writ/contract';
import { outcomeFault, type OutcomeFault } from '../outcomes/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/**
 * Why an effect is larger than was reserved for it, or null. Executors end calls that exceed their limits, but the
 * kernel has all bytes of an effect itself, so it needn't trust an executor for them.
 */
export function decideLimits(
  { limits }: Pick<OperationRow, 'limits'>,
  tool: Pick<ToolDefinition, 'limits'>,
  { changes }: Pick<Delta, 'changes'>,
): OutcomeFault | null {
  const most = limits?.disk_write_bytes ?? tool.limits.disk_write_bytes;
  const bytes = changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
  return bytes <= most
    ? null
    : outcomeFault('limit.exceeded', `the call wrote ${bytes} bytes, more than its \`disk_write_bytes\` of ${most}`);
}
