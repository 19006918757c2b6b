// SPDX-License-Identifier: Apache-2.0
import type { Delta } from '@writ/contract';
import { parseJson } from '@writ/digest';

/** A stored delta, which our own processes wrote, and how many of its changes to return. */
export interface DeltaText {
  readonly bytes: Uint8Array;
  readonly changesMax: number;
}

/** The first changes of a delta, and their total number. */
export interface DeltaHead extends Pick<Delta, 'base' | 'changes'> {
  readonly total: number;
}

/** Parses a delta. Twenty thousand changes take several megabytes. */
export function readDelta({ bytes, changesMax }: DeltaText): DeltaHead {
  const { base, changes } = parseJson(Buffer.from(bytes).toString('utf8')) as Delta;
  return { base, changes: changes.slice(0, changesMax), total: changes.length };
}
