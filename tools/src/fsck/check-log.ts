// SPDX-License-Identifier: Apache-2.0
import { tenantIdOf, type Id } from '@writ/contract';
import { appendLeaves, EMPTY_FRONTIER, encodeFrontier, isSameHash, leafHash, rootOf, rootOfFrontier, TILE_WIDTH, type Frontier } from '@writ/merkle';
import type { KeySet } from '@writ/receipt';
import { parseCheckpoint, verifyNote } from '@writ/signing';
import { leafFindings } from './check-leaf.ts';
import type { CheckpointRow, RawRows, RootRow, TileRow } from './rows.ts';

/** What a check of one log found; no findings: every row is what the leaves make it. */
export interface LogReport {
  readonly logId: string;
  readonly size: number;
  readonly findings: readonly string[];
  /** the newest root has no checkpoint yet: the ledger signs it when it is next asked */
  readonly isUnsigned: boolean;
}

/** The tree as the leaves alone make it: the hashes of each tile level, and the frontiers at the sizes asked for. */
class Rebuilt {
  readonly levels: Uint8Array[][] = [[]];
  readonly frontiers = new Map<number, Frontier>();
  frontier = EMPTY_FRONTIER;

  add(hash: Uint8Array, sizes: ReadonlySet<number>): void {
    this.frontier = appendLeaves(this.frontier, [hash]);
    this.#push(0, hash);
    if (sizes.has(this.frontier.size)) this.frontiers.set(this.frontier.size, this.frontier);
  }

  #push(level: number, hash: Uint8Array): void {
    const hashes = (this.levels[level] ??= []);
    hashes.push(hash);
    // A full tile has a hash on the level above.
    if (hashes.length % TILE_WIDTH === 0) this.#push(level + 1, rootOf(hashes.slice(-TILE_WIDTH)));
  }
}

/** Rebuilds one log from its leaves and compares everything that is stored of it. Reads each leaf once; memory grows by 32 bytes a leaf. */
export async function checkLog(rows: RawRows, logId: string, keys: KeySet): Promise<LogReport> {
  const findings: string[] = [];
  const roots = await rows.roots(logId);
  const sizes = new Set(roots.map((root) => Number(root.tree_size)));
  const tree = new Rebuilt();
  for await (const leaf of rows.leaves(logId)) {
    findings.push(...leafFindings(leaf, tree.frontier.size, logId, keys));
    tree.add(leafHash(leaf.payload), sizes);
  }
  const tenantId = tenantIdOf(logId as Id<'log'>);
  findings.push(...tileFindings(await rows.tiles(logId), tree, tenantId), ...rootFindings(roots, tree, tenantId));
  const checkpoints = await rows.checkpoints(logId);
  findings.push(...checkpoints.flatMap((row) => checkpointFindings(row, tree, logId, tenantId, keys)));
  const newest = Number(checkpoints.at(-1)?.tree_size ?? 0);
  return { logId, size: tree.frontier.size, findings, isUnsigned: newest < tree.frontier.size };
}

function tileFindings(tiles: readonly TileRow[], tree: Rebuilt, tenantId: string): string[] {
  const findings: string[] = [];
  const widest = new Map<string, number>();
  for (const tile of tiles) {
    const name = `tile ${tile.level}/${tile.tile_index} of width ${tile.width}`;
    const first = Number(tile.tile_index) * TILE_WIDTH;
    const hashes = (tree.levels[tile.level] ?? []).slice(first, first + tile.width);
    if (!Buffer.concat(hashes).equals(tile.hashes)) findings.push(`${name} isn't what the leaves make it`);
    if (tile.tenant_id !== tenantId) findings.push(`${name} is another tenant's`);
    widest.set(`${tile.level}/${tile.tile_index}`, tile.width);
  }
  for (const [level, hashes] of tree.levels.entries()) {
    for (let index = 0; index * TILE_WIDTH < hashes.length; index++) {
      const width = Math.min(TILE_WIDTH, hashes.length - index * TILE_WIDTH);
      if ((widest.get(`${level}/${index}`) ?? 0) < width) findings.push(`tile ${level}/${index} of width ${width} is missing`);
    }
  }
  return findings;
}

function rootFindings(roots: readonly RootRow[], tree: Rebuilt, tenantId: string): string[] {
  const findings: string[] = [];
  for (const row of roots) {
    const frontier = tree.frontiers.get(Number(row.tree_size));
    if (!frontier) findings.push(`root of size ${row.tree_size}: there are only ${tree.frontier.size} leaves`);
    else if (!isSameHash(rootOfFrontier(frontier), row.root)) findings.push(`root of size ${row.tree_size} isn't what the leaves make it`);
    else if (!Buffer.from(encodeFrontier(frontier)).equals(row.frontier)) findings.push(`frontier of size ${row.tree_size} isn't what the leaves make it`);
    if (row.tenant_id !== tenantId) findings.push(`root of size ${row.tree_size} is another tenant's`);
  }
  if (Number(roots.at(-1)?.tree_size ?? 0) !== tree.frontier.size) findings.push(`there is no root over all ${tree.frontier.size} leaves`);
  return findings;
}

function checkpointFindings(row: CheckpointRow, tree: Rebuilt, logId: string, tenantId: string, keys: KeySet): string[] {
  const name = `checkpoint of size ${row.tree_size}`;
  const findings: string[] = row.tenant_id === tenantId ? [] : [`${name} is another tenant's`];
  try {
    const { text, signedBy } = verifyNote(row.note, keys.logKeys);
    const { origin, treeSize, root } = parseCheckpoint(text);
    const frontier = tree.frontiers.get(treeSize);
    if (!signedBy.some((key) => origin === `${key.name}/${logId}`)) findings.push(`${name} is of another log: \`${origin}\``);
    if (String(treeSize) !== row.tree_size) findings.push(`${name} says size ${treeSize}`);
    if (!frontier || !isSameHash(rootOfFrontier(frontier), root)) findings.push(`${name} says another root than the leaves make`);
  } catch (error) {
    findings.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return findings;
}
