// SPDX-License-Identifier: Apache-2.0

/**
 * What was sent in, by path: what the workspace is compared with after the job. Directories on the way to an entry are
 * in it too.
 */
export type Baseline = ReadonlyMap<string, BaselineEntry>;

export type BaselineEntry =
  | { readonly kind: 'file'; readonly mode: '644' | '755'; readonly size: number; readonly fingerprint: string }
  | { readonly kind: 'dir' }
  | { readonly kind: 'symlink'; readonly target: string };
