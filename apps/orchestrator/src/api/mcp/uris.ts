// SPDX-License-Identifier: Apache-2.0
import { isId } from '@writ/contract';

/** What the URI of a resource names. */
export type NamedResource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'operation' | 'receipt'; readonly operationId: string };

/** The templates of resources (RFC 6570). */
export const URI_TEMPLATES = {
  file: 'writ://workspace/{+path}',
  operation: 'writ://operations/{operation_id}',
  receipt: 'writ://receipts/{operation_id}',
} as const;

export const operationUri = (operationId: string): string => `writ://operations/${operationId}`;
export const receiptUri = (operationId: string): string => `writ://receipts/${operationId}`;

/** What a URI names, which is attacker-controlled. Null for any other text. */
export function parseUri(uri: string): NamedResource | null {
  const [, place, rest] = /^writ:\/\/(workspace|operations|receipts)\/(.+)$/s.exec(uri) ?? [];
  const text = rest === undefined ? null : decoded(rest);
  if (text === null) return null;
  if (place === 'workspace') return { kind: 'file', path: text };
  if (!isId('operation', text)) return null;
  return { kind: place === 'operations' ? 'operation' : 'receipt', operationId: text };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
