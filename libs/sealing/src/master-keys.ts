// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';

/** 64 bits: a deployment has a handful of master keys in its life. */
const ID_CHARS = 16;

/** The master keys that a process knows, each of 32 bytes. */
export interface MasterKeys {
  /** wraps whatever is wrapped from now on */
  readonly current: Buffer;
  /** wrapped what isn't wrapped anew yet; null where there was none before */
  readonly before: Buffer | null;
  /** comes soon: it opens what replicas that have it already wrap; null where none comes */
  readonly next: Buffer | null;
}

/** All of them, the likeliest first. */
export function knownKeys({ current, before, next }: MasterKeys): readonly [Buffer, ...Buffer[]] {
  return [current, ...[before, next].filter((key) => key !== null)];
}

/** Tells master keys apart, and tells nothing about them. */
export function masterKeyId(key: Buffer): string {
  return createHmac('sha256', key).update('writ/master-key-id/v1').digest('hex').slice(0, ID_CHARS);
}
