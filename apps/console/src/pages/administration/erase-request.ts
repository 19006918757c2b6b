// SPDX-License-Identifier: Apache-2.0
import type { EraseRequest } from '@writ/client/web';

export const ERASE_WHATS = ['operation_id', 'session_id', 'subject', 'before'] as const;
export type EraseWhat = (typeof ERASE_WHATS)[number];

/** An erasure as it is typed. */
export interface EraseDraft {
  readonly what: EraseWhat;
  /** an id, a data subject, or a moment in the time zone of the reader */
  readonly value: string;
  readonly reason: string;
}

/** The moment in UTC of a field's text in the time zone of the reader; null: it is none. */
export function utcOf(local: string): string | null {
  const at = Date.parse(local);
  return Number.isNaN(at) ? null : new Date(at).toISOString().replace('.000Z', 'Z');
}

/** The request of an erasure; null: something is missing. It names one thing, and never more than was typed. */
export function eraseRequestOf({ what, value, reason }: EraseDraft): EraseRequest | null {
  const [named, reason_code] = [what === 'before' ? utcOf(value) : value.trim(), reason.trim()];
  return named === null || named === '' || reason_code === '' ? null : { [what]: named, reason_code };
}
