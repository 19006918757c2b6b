// SPDX-License-Identifier: Apache-2.0

/** A verified record that is to be appended to the log of its tenant. `payload` is stored and hashed unchanged. */
export interface Entry {
  readonly logId: string;
  readonly tenantId: string;
  readonly recordId: string;
  readonly kind: string;
  readonly operationId: string | null;
  readonly phase: string | null;
  readonly payload: Uint8Array;
  readonly keyid: string;
  readonly sig: Uint8Array;
  /** milliseconds since the epoch, by the kernel's database */
  readonly recordedAt: number;
  /** the trace that the record was made in; null for none */
  readonly traceparent: string | null;
}

/** The records of a batch for one log. */
export interface LogEntries {
  readonly logId: string;
  readonly tenantId: string;
  readonly entries: readonly Entry[];
}
