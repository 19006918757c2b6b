// SPDX-License-Identifier: Apache-2.0

export interface ArchiveEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  readonly bytes: Uint8Array;
}
