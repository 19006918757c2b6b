// SPDX-License-Identifier: Apache-2.0

/**
 * A record on its way into the log of its tenant, its signature verified. `payload` is stored and hashed as it came.
 */
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

/** What a batch has for one log. */
export interface LogEntries {
  readonly logId: string;
  readonly tenantId: string;
  readonly entries: readonly Entry[];
}

/** A root that a transaction of the ledger has committed: the only thing that may be signed. */
export interface CommittedRoot {
  readonly logId: string;
  readonly tenantId: string;
  readonly treeSize: number;
  readonly root: Uint8Array;
}

/** The newest of each log, where there are several. */
export function newestOfEach<R extends CommittedRoot>(roots: Iterable<R>): Iterable<R> {
  const newest = new Map<string, R>();
  for (const root of roots) if (root.treeSize >= (newest.get(root.logId)?.treeSize ?? 0)) newest.set(root.logId, root);
  return newest.values();
}
