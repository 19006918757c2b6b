// SPDX-License-Identifier: Apache-2.0
import type { OperationMonitor } from '../execution/telemetry/operation-monitor.ts';

/** A monitor that counts nothing and logs nothing. */
export const NULL_MONITOR: Pick<OperationMonitor, 'decided' | 'ended' | 'redeemed' | 'approvalClosed'> = {
  decided: () => undefined,
  ended: () => undefined,
  redeemed: () => undefined,
  approvalClosed: () => undefined,
};
