// SPDX-License-Identifier: Apache-2.0
// One log, from raw rows: every committed batch is replayed with the pure libraries, and the result is compared with
// the stored rows. INVARIANT (nothing taken on trust): no stored hash is an input; all are computed from the records'
// bytes.
import { isId } from '@writ/contract';
import {
  appendLeaves,
  EMPTY_FRONTIER,
  encodeTile,
  growTiles,
  leafHash,
  rootOfFrontier,
  TILE_WIDTH,
  type Frontier,
  type Tile,
} from '@writ/merkle';
import type { KeySet } from '@writ/receipt';
import { checkCosignature } from './check-cosignature.ts';
import { checkLeaf } from './check-leaf.ts';
import { DecisionCheck } from './check-decisions.ts';
import { IndexCheck } from './check-index.ts';
import { KeyCheck } from './check-keys.ts';
import { checkRoot, tenantOf } from './check-root.ts';
import { Findings, type LogReport } from './findings.ts';
import {
  readCosignatures,
  readDoubleOutcomes,
  readLeaves,
  readRootlessCheckpoints,
  readRootPages,
  readSurplusTiles,
  readTiles,
  type Connection,
  type LeafRow,
  type RootRow,
} from './rows.ts';
import { NOTHING_TOLD, SignedCheck, type Reported } from './signed-roots.ts';

/** A log and the progress of its replay. */
interface Replay {
  frontier: Frontier;
  /** The newest tile of each level: the only input of the next batch. */
  readonly edges: Map<number, Tile>;
  leaves: number;
  roots: number;
  tiles: number;
  checkpoints: number;
  checkpointsByRevoked: number;
}

interface Check {
  readonly client: Connection;
  readonly logId: string;
  readonly keys: KeySet;
  readonly findings: Findings;
  readonly decisions: DecisionCheck;
  readonly index: IndexCheck;
  readonly signed: SignedCheck;
  readonly signers: KeyCheck;
  readonly reported: Reported;
}

/** Checks one log. */
export async function checkLog(
  client: Connection,
  logId: string,
  keys: KeySet,
  reported = NOTHING_TOLD,
): Promise<LogReport> {
  const findings = new Findings();
  const check = {
    client,
    logId,
    keys,
    findings,
    reported,
    decisions: new DecisionCheck(client, logId, findings),
    index: new IndexCheck(client, logId, findings),
    signed: new SignedCheck(reported.signed.get(logId) ?? [], findings),
    signers: new KeyCheck(logId, keys, findings),
  };
  const replay: Replay = {
    frontier: EMPTY_FRONTIER,
    edges: new Map(),
    leaves: 0,
    roots: 0,
    tiles: 0,
    checkpoints: 0,
    checkpointsByRevoked: 0,
  };
  if (isId('log', logId))
    await replayLog(check, replay).catch((error: unknown) => {
      findings.add('log', `can't be read any further: ${reasonOf(error)}`);
    });
  else findings.add('log', `\`${logId}\` is no id of a log`);
  const { leaves, roots, tiles, checkpoints, checkpointsByRevoked } = replay;
  return {
    logId,
    leaves,
    roots,
    tiles,
    checkpoints,
    checkpointsByRevoked,
    findings: findings.kept,
    findingCount: findings.count,
  };
}

/** A value that no row may have is a finding; a failing database is not. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error) || 'severity' in error) throw error;
  return error.message;
}

async function replayLog(check: Check, replay: Replay): Promise<void> {
  const { client, logId, findings } = check;
  const leaves = readLeaves(client, logId);
  for await (const page of readRootPages(client, logId)) {
    const tiles: Tile[] = [];
    for (const root of page) tiles.push(...(await replayBatch(check, replay, root, leaves)));
    await compareTiles(check, tiles);
    replay.tiles += tiles.length;
  }
  let unrooted = 0;
  for await (const row of leaves) {
    await replayLeaf(check, replay, row);
    unrooted += 1;
  }
  findings.demand(unrooted === 0, 'leaf', `${unrooted} leaves are under no root`);
  check.signed.finish(replay.leaves);
  await check.decisions.finish();
  await check.index.finish();
  for (const { level, tile_index, width } of await readSurplusTiles(client, logId))
    findings.add(nameOf({ level, index: tile_index, width }), 'is of no root');
  for (const size of await readRootlessCheckpoints(client, logId))
    findings.add(`checkpoint ${size}`, 'signs no stored root');
  for await (const row of readCosignatures(client, logId))
    checkCosignature(logId, row, check.reported.witnesses, findings);
  for (const operation of await readDoubleOutcomes(client, logId))
    findings.add(`operation ${operation}`, 'has more than one outcome');
}

/** The leaves up to a root, written by the ledger as one batch. Returns the tiles that must be stored as rows. */
async function replayBatch(
  check: Check,
  replay: Replay,
  root: RootRow,
  leaves: AsyncGenerator<LeafRow, undefined>,
): Promise<Tile[]> {
  const hashes: Uint8Array[] = [];
  while (replay.frontier.size + hashes.length < root.tree_size) {
    const { value, done } = await leaves.next();
    if (done === true || value === undefined) break;
    hashes.push(await replayLeaf(check, replay, value));
  }
  const tiles = growTiles(replay.frontier.size, hashes, (level) => replay.edges.get(level)?.hashes ?? []);
  for (const tile of tiles) replay.edges.set(tile.level, tile);
  replay.frontier = appendLeaves(replay.frontier, hashes);
  replay.roots += 1;
  if (root.note !== null) replay.checkpoints += 1;
  check.signed.take(replay.frontier.size, rootOfFrontier(replay.frontier));
  if (checkRoot(check.logId, root, replay.frontier, check.keys, check.findings)) replay.checkpointsByRevoked += 1;
  if (root.edge_hashes === null) return tiles;
  const added = hashes.slice(Math.max(0, hashes.length - (replay.frontier.size % TILE_WIDTH)));
  check.findings.demand(
    Buffer.compare(encodeTile(added), root.edge_hashes) === 0,
    `root ${root.tree_size}`,
    '`edge_hashes` are not those of its leaves',
  );
  return tiles.filter(({ level, width }) => level > 0 || width === TILE_WIDTH);
}

async function replayLeaf(
  { logId, keys, findings, decisions, index, signers }: Check,
  replay: Replay,
  row: LeafRow,
): Promise<Uint8Array> {
  findings.demand(row.leaf_index === replay.leaves, `leaf ${row.leaf_index}`, `follows leaf ${replay.leaves - 1}`);
  replay.leaves += 1;
  const record = checkLeaf(logId, row, keys, findings);
  if (record !== null) {
    signers.take(row.leaf_index, record);
    await decisions.take(row.leaf_index, record);
  }
  await index.take(row.leaf_index, record);
  return leafHash(row.payload);
}

const nameOf = ({ level, index, width }: { level: number; index: number; width: number }): string =>
  `tile ${level}/${index}.${width}`;

async function compareTiles({ client, logId, findings }: Check, tiles: readonly Tile[]): Promise<void> {
  const stored = new Map(
    (await readTiles(client, logId, tiles)).map((row) => [nameOf({ ...row, index: row.tile_index }), row]),
  );
  for (const tile of tiles) {
    const name = nameOf(tile);
    const row = stored.get(name);
    if (row === undefined) {
      findings.add(name, 'is missing');
      continue;
    }
    findings.demand(
      Buffer.compare(encodeTile(tile.hashes), row.hashes) === 0,
      name,
      'does not hold the hashes of the leaves',
    );
    findings.demand(row.tenant_id === tenantOf(logId), name, `\`tenant_id\` is \`${row.tenant_id}\``);
  }
}
