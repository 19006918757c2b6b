// SPDX-License-Identifier: Apache-2.0
import type { Delta } from '@writ/contract';
import { parseJson } from '@writ/digest';

/** A delta as it is stored, written by our own processes, and how many of its changes are wanted. */
export interface DeltaText {
  readonly bytes: Uint8Array;
  readonly changesMax: number;
}

/** The first changes of a delta, and how many it has. */
export interface DeltaHead extends Pick<Delta, 'base' | 'changes'> {
  readonly total: number;
}

/** Reads a delta: twenty thousand changes are several megabytes. */
export function readDelta({ bytes, changesMax }: DeltaText): DeltaHead {
  const { base, changes } = parseJson(Buffer.from(bytes).toString('utf8')) as Delta;
  return { base, changes: changes.slice(0, changesMax), total: changes.length };
}
