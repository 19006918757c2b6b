// SPDX-License-Identifier: Apache-2.0
// What somebody dropped on the page. The files are attacker-controlled; only the keys are the reader's own.

/** A larger file is neither a receipt nor keys. */
export const FILE_BYTES_MAX = 4 * 1024 * 1024;

/** What a file is, by its content. Its name says nothing. */
export type FileKind = 'receipt' | 'keys' | 'archive' | 'too_large' | 'other';

const TAR = { at: 257, mark: 'ustar' } as const;

export function kindOf(bytes: Uint8Array): FileKind {
  const mark = new TextDecoder('latin1').decode(bytes.subarray(TAR.at, TAR.at + TAR.mark.length));
  if (mark === TAR.mark) return 'archive';
  if (bytes.length > FILE_BYTES_MAX) return 'too_large';
  const value = valueOf(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'other';
  return 'record_keys' in value || 'log_keys' in value || 'deployments' in value ? 'keys' : 'receipt';
}

function valueOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
