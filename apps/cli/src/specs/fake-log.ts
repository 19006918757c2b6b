// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { encodeEntryBundle, encodeTile, growTiles, hashAtFromTiles, leafHash, parseTilePath, proveConsistency, rootOf, TILE_WIDTH } from '@writ/merkle';
import { encodeBase64, formatCheckpoint, formatNoteKey, parseSigner, signNote, type Signer } from '@writ/signing';
import { fakeApi, problem, type FakeApi, type Heard, type Said } from './run-cli.ts';

export const newSigner = (): Signer => parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
export const ORIGIN = 'writ.spec/log_01kdvq8qfwe9gr4v9m1h7e3x2z';
const signer = newSigner();
/** A key file that names the log's key. */
export const LOG_KEYS = JSON.stringify({ record_keys: [], log_keys: [formatNoteKey('writ.spec', signer.publicKey)] });

export const recordsOf = (count: number): readonly Uint8Array[] => Array.from({ length: count }, (_, i) => Buffer.from(`{"record":${String(i)}}`));
export const rootOfRecords = (records: readonly Uint8Array[]): Uint8Array => rootOf(records.map(leafHash));
export const noteOf = (records: readonly Uint8Array[], { origin = ORIGIN, by = signer } = {}): string =>
  signNote(formatCheckpoint({ origin, treeSize: records.length, root: rootOfRecords(records) }), { name: 'writ.spec', signer: by });

/** What the server signed, what it gives as records, and what it says that it grew from. */
export interface FakeLog {
  note: string;
  records: readonly Uint8Array[];
  proved: readonly Uint8Array[];
}

export const logOf = (records: readonly Uint8Array[]): FakeLog => ({ note: noteOf(records), records, proved: records });

/** A server that gives the log that stands in `state.log` at the moment. */
export async function fakeLogServer(state: { log: FakeLog }): Promise<FakeApi> {
  return await fakeApi(({ url }: Heard): Said => {
    const { log } = state;
    const asked = new URL(url, 'http://api');
    if (asked.pathname === '/v1/log/checkpoint') return { body: log.note };
    const tilesByPlace = () => new Map(growTiles(0, log.proved.map(leafHash), () => []).map((tile) => [`${String(tile.level)}/${String(tile.index)}`, tile.hashes]));
    if (asked.pathname === '/v1/log/consistency') {
      const [from, to] = ['from', 'to'].map((name) => Number(asked.searchParams.get(name))) as [number, number];
      const tiles = tilesByPlace();
      return { body: { from, to, hashes: proveConsistency(from, to, hashAtFromTiles((level, index) => tiles.get(`${String(level)}/${String(index)}`) ?? [])).map(encodeBase64) } };
    }
    const tile = parseTilePath(asked.pathname.replace('/v1/log/tile/', ''));
    if (tile === null) return problem(404, 'not_found', 'there is no such thing here');
    if (tile.kind === 'hashes') return { body: encodeTile((tilesByPlace().get(`${String(tile.level)}/${String(tile.index)}`) ?? []).slice(0, tile.width)) };
    return { body: encodeEntryBundle(log.records.slice(tile.index * TILE_WIDTH, tile.index * TILE_WIDTH + tile.width)) };
  });
}
