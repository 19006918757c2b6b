// SPDX-License-Identifier: Apache-2.0
import type { Delta, ToolDefinition } from '@writ/contract';
import { endingFault, type EndingFault } from '../outcomes/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/**
 * Why an effect is larger than was reserved for it, or null. Executors end what exceeds its limits, but the bytes of an
 * effect are all in front of the kernel, so it needn't take anybody's word for them.
 */
export function decideLimits(
  { limits }: Pick<OperationRow, 'limits'>,
  tool: Pick<ToolDefinition, 'limits'>,
  { changes }: Pick<Delta, 'changes'>,
): EndingFault | null {
  const most = limits?.disk_write_bytes ?? tool.limits.disk_write_bytes;
  const bytes = changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
  return bytes <= most
    ? null
    : endingFault('limit.exceeded', `the call wrote ${bytes} bytes, more than its \`disk_write_bytes\` of ${most}`);
}
