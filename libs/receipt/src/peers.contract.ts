// SPDX-License-Identifier: Apache-2.0
//
// The connection to other implementations: the Go program in libs/receipt/peers, built if the Go toolchain is present.
// Not part of the package.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../peers');

/** The tree by Go's checksum database, the same reading Writ's tiles, and the tree by Trillian and Tessera. */
export type Peer = 'tlog' | 'tlog on tiles' | 'merkle';

export interface ProvenLeaf {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly hashes: readonly Uint8Array[];
  readonly root: Uint8Array;
}

export interface ProvenGrowth {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}

/** The requests of libs/receipt/peers/main.go. */
export type Request =
  | { readonly op: 'root'; readonly peer: Peer; readonly size: number }
  | { readonly op: 'proveInclusion'; readonly peer: Peer; readonly index: number; readonly size: number }
  | { readonly op: 'proveConsistency'; readonly peer: Peer; readonly oldSize: number; readonly size: number }
  | ({ readonly op: 'verifyInclusion'; readonly peer: Peer } & ProvenLeaf)
  | ({ readonly op: 'verifyConsistency'; readonly peer: Peer } & ProvenGrowth)
  | { readonly op: 'tiles'; readonly oldSize: number; readonly size: number }
  | { readonly op: 'path'; readonly level: number; readonly index: number; readonly width: number }
  | { readonly op: 'signCheckpoint'; readonly origin: string; readonly size: number; readonly root: Uint8Array }
  | {
      readonly op: 'openCheckpoint';
      readonly origin: string;
      readonly note: string;
      readonly logKey: string;
      readonly witnessKey: string;
    };

/** Bytes are base64. Zero or empty members are left out. */
export interface Answer {
  /** Why the peer refused. */
  readonly error?: string;
  readonly root?: string;
  readonly hashes?: readonly string[];
  readonly tiles?: readonly { readonly path: string; readonly bytes: string }[];
  readonly path?: string;
  readonly size?: number;
  readonly time?: number;
  readonly note?: string;
  readonly logKey?: string;
  readonly witnessKey?: string;
}

/** Why the peers are unavailable; null if they are available. */
export function peersUnavailableReason(): string | null {
  if (spawnSync('go', ['version']).status !== 0) return 'the Go toolchain is missing';
  if (spawnSync('go', ['mod', 'download'], { cwd: SOURCES, timeout: 60_000 }).status !== 0)
    return 'the modules of libs/receipt/peers can not be had';
  return null;
}

/** Builds the program. Throws with the compiler's output. */
export function buildPeers(program: string): void {
  const { status, stderr } = spawnSync('go', ['build', '-buildvcs=false', '-o', program, '.'], {
    cwd: SOURCES,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`libs/receipt/peers can't be built: ${stderr}`);
}

/**
 * Sends requests to the built program; `tiles` is the folder for `tlog on tiles`. Returns an answer for each, in order.
 */
export function askPeers(program: string, tiles: string, requests: readonly Request[]): Answer[] {
  const input = requests
    .map((request) =>
      JSON.stringify(request, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ),
    )
    .join('\n');
  const { status, stdout, stderr } = spawnSync(program, [tiles], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`libs/receipt/peers: ${stderr}`);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
  if (answers.length !== requests.length)
    throw new Error(`libs/receipt/peers gave ${String(answers.length)} answers to ${String(requests.length)} requests`);
  return answers;
}
