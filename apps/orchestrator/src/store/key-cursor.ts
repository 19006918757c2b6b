// SPDX-License-Identifier: Apache-2.0
import { Fault, isId } from '@writ/contract';

/** Where a page ended: the last row's (created_at, id). */
export interface KeyPosition { readonly createdAt: number; readonly id: string }

/** Opaque to callers: they may not rely on what is in it. */
export function formatKeyCursor({ createdAt, id }: KeyPosition): string {
  return Buffer.from(`${createdAt}:${id}`).toString('base64url');
}

/** Fault `request.malformed` on what this door didn't make. */
export function parseKeyCursor(text: string): KeyPosition {
  const [, createdAt, id] = /^(\d{1,15}):(key_[0-9a-z]{26})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (createdAt === undefined || !isId('apiKey', id)) throw new Fault('request.malformed', 'the `cursor` is none of this list');
  return { createdAt: Number(createdAt), id };
}
