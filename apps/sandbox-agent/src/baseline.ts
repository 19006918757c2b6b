// SPDX-License-Identifier: Apache-2.0

/**
 * The files that were sent into the workspace, by path: the workspace is compared with them after the job. Parent
 * directories of entries are included.
 */
export type Baseline = ReadonlyMap<string, BaselineEntry>;

export type BaselineEntry =
  | { readonly kind: 'file'; readonly mode: '644' | '755'; readonly size: number; readonly fingerprint: string }
  | { readonly kind: 'dir' }
  | { readonly kind: 'symlink'; readonly target: string };
