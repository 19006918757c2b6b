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

/** The state of a log before a batch. */
export interface LogState {
  readonly treeSize: number;
  readonly frontier: Frontier;
}

export const NEW_LOG: LogState = { treeSize: 0, frontier: EMPTY_FRONTIER };

/**
 * Parses the state of a log from a row. Throws Fault `ledger.diverged` when size, root and frontier don't agree:
 * somebody changed the table, and continuing would sign the change.
 */
export function parseLogState(row: { at: number; root: Uint8Array; frontier: Uint8Array }): LogState {
  const frontier = parseFrontier(row.frontier);
  if (frontier.size !== row.at || !isSameHash(rootOfFrontier(frontier), row.root)) {
    throw new Fault('ledger.diverged', 'a stored root does not match its frontier');
  }
  return { treeSize: row.at, frontier };
}

/** The addition of a batch to one log: leaves at consecutive indices, the changed tiles, the new root. */
export interface Growth {
  readonly first: number;
  readonly frontier: Frontier;
  readonly root: Uint8Array;
  readonly tiles: readonly Tile[];
  /** the hashes of the new leaves that are in no full tile */
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
