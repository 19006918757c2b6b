// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from '@writ/contract';
import type { Meter } from '@writ/telemetry';

/** Receives what the gate decides and how many bytes pass. */
export interface GateWatch {
  readonly admitted: () => void;
  readonly refused: (code: FaultCode) => void;
  readonly passed: (direction: 'sent' | 'received', bytes: number) => void;
}

/** A watch that ignores everything. */
export const UNWATCHED: GateWatch = { admitted: () => undefined, refused: () => undefined, passed: () => undefined };

/** Counts requests and bytes at the gate. */
export function watchGate(meter: Meter): GateWatch {
  const [requests, io] = [meter.counter('writ.egress.requests'), meter.counter('writ.egress.io')];
  return {
    admitted: () => {
      requests.add(1, { decision: 'admitted', fault: 'none' });
    },
    refused: (fault) => {
      requests.add(1, { decision: 'refused', fault });
    },
    passed: (direction, bytes) => {
      io.add(bytes, { direction });
    },
  };
}
