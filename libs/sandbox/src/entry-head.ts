// SPDX-License-Identifier: Apache-2.0

/**
 * The head of an entry of the workspace. A file's content follows, its first chunk in the same frame, the rest in
 * `data` frames. Agents of earlier images compare files by `sha256`.
 */
export type EntryHead =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: '644' | '755';
      readonly size: number;
      readonly sha256: string;
    }
  | { readonly kind: 'dir'; readonly path: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string };
