// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';

/** 64 bits: a deployment has a handful of master keys in its lifetime. */
const ID_CHARS = 16;

/** The master keys of a process, each of 32 bytes. */
export interface MasterKeys {
  /** wraps from now on */
  readonly current: Buffer;
  /** wrapped what isn't rewrapped yet; null if there was none before */
  readonly before: Buffer | null;
  /** the next one, which replicas may use already; it only opens. Null without one */
  readonly next: Buffer | null;
}

/** All of them, the most likely first. */
export function allKeys({ current, before, next }: MasterKeys): readonly [Buffer, ...Buffer[]] {
  return [current, ...[before, next].filter((key) => key !== null)];
}

/** Identifies a master key without revealing anything about it. */
export function masterKeyId(key: Buffer): string {
  return createHmac('sha256', key).update('writ/master-key-id/v1').digest('hex').slice(0, ID_CHARS);
}
