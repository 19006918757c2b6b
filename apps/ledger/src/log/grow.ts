// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import {
  appendLeaves,
  EMPTY_FRONTIER,
  growTiles,
  isSameHash,
  leafHash,
  parseFrontier,
  rootOfFrontier,
  TILE_WIDTH,
  type Frontier,
  type Tile,
} from '@writ/merkle';
import type { Entry } from './entry.ts';

/** Where a log stands before a batch. */
export interface LogState {
  readonly treeSize: number;
  readonly frontier: Frontier;
}

export const NEW_LOG: LogState = { treeSize: 0, frontier: EMPTY_FRONTIER };

/**
 * Reads the state of a log as a row holds it. Throws Fault `ledger.diverged` when size, root and frontier don't agree:
 * somebody wrote into the table, and going on would sign it.
 */
export function parseLogState(row: { at: number; root: Uint8Array; frontier: Uint8Array }): LogState {
  const frontier = parseFrontier(row.frontier);
  if (frontier.size !== row.at || !isSameHash(rootOfFrontier(frontier), row.root)) {
    throw new Fault('ledger.diverged', 'a stored root does not match its frontier');
  }
  return { treeSize: row.at, frontier };
}

/** What a batch adds to one log: leaves at strictly consecutive indices, the tiles that change, the new root. */
export interface Growth {
  readonly first: number;
  readonly frontier: Frontier;
  readonly root: Uint8Array;
  readonly tiles: readonly Tile[];
  /** of the new leaves, those that are in no full tile */
  readonly edgeHashes: readonly Uint8Array[];
}

export function growLog(
  state: LogState,
  entries: readonly Entry[],
  readTile: (level: number, index: number) => readonly Uint8Array[],
): Growth {
  const leaves = entries.map((entry) => leafHash(entry.payload));
  const frontier = appendLeaves(state.frontier, leaves);
  return {
    first: state.treeSize,
    frontier,
    root: rootOfFrontier(frontier),
    tiles: growTiles(state.treeSize, leaves, readTile),
    edgeHashes: leaves.slice(Math.max(0, leaves.length - (frontier.size % TILE_WIDTH))),
  };
}
