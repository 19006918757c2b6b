// SPDX-License-Identifier: Apache-2.0

/**
 * A named entry of a directory. `sha256` is that of the file's bytes, of the link's target text, or of the node below;
 * `size` in bytes, 0 for a directory.
 */
export type NodeEntry =
  | {
      readonly kind: 'file';
      readonly mode: '644' | '755';
      readonly name: string;
      readonly sha256: string;
      readonly size: number;
    }
  | { readonly kind: 'dir' | 'symlink'; readonly name: string; readonly sha256: string; readonly size: number };
