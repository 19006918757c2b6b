// SPDX-License-Identifier: Apache-2.0
/** A root that a transaction of the ledger has committed: the only thing that may be signed. */
export interface CommittedRoot {
  readonly logId: string;
  readonly tenantId: string;
  readonly treeSize: number;
  readonly root: Uint8Array;
}

/** The newest root of each log. */
export function newestOfEach<R extends CommittedRoot>(roots: Iterable<R>): Iterable<R> {
  const newest = new Map<string, R>();
  for (const root of roots) if (root.treeSize >= (newest.get(root.logId)?.treeSize ?? 0)) newest.set(root.logId, root);
  return newest.values();
}
