// SPDX-License-Identifier: Apache-2.0

/** Two contents, as they are sent to a worker thread. */
export interface ComparedContents {
  readonly before: Uint8Array;
  readonly after: Uint8Array | null;
}
