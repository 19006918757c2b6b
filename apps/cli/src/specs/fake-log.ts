// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { RECORD_PAYLOAD_TYPE, type AuditRecord } from '@writ/contract';
import {
  encodeEntryBundle,
  encodeTile,
  growTiles,
  hashAtFromTiles,
  leafHash,
  parseTilePath,
  proveConsistency,
  proveInclusion,
  rootOf,
  TILE_WIDTH,
} from '@writ/merkle';
import {
  assembleReceipt,
  encodeReceipt,
  formatKeyEvent,
  parseKeySet,
  sealRecord,
  verifyReceiptFile,
} from '@writ/receipt';
import {
  encodeBase64,
  formatCheckpoint,
  formatNoteKey,
  parseSigner,
  sealEnvelope,
  signNote,
  type Envelope,
  type Signer,
} from '@writ/signing';
import { KEY_FILE, RECEIPT_FILE } from './pinned-receipt.ts';
import { fakeApi, problem, type FakeApi, type ReceivedRequest, type FakeResponse } from './run-cli.ts';

export const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
export const ORIGIN = 'writ.spec/log_01kdvq8qfwe9gr4v9m1h7e3x2z';
const signer = newSigner();
export const kernel = newSigner();
/** The kernel's next key. */
export const nextKernelKey = newSigner();
/** A key file with the log's key, the kernel's key (extended by `over`) and the next key. */
export const keysOf = (over: object = {}): string =>
  JSON.stringify({
    record_keys: [
      { keyid: kernel.keyid, jwk: kernel.publicJwk, ...over },
      { keyid: nextKernelKey.keyid, jwk: nextKernelKey.publicJwk },
    ],
    log_keys: [formatNoteKey('writ.spec', signer.publicKey)],
  });
export const LOG_KEYS = keysOf();

/** The time in all of the kernel's records, in milliseconds since the epoch. */
export const RECORDED_AT = 1_767_225_600_000;
const sample = verifyReceiptFile(RECEIPT_FILE, parseKeySet(KEY_FILE)).record;
/** A record sealed by the kernel; `over` replaces fields. */
export const recordOf = (i: number, over: Partial<AuditRecord> = {}): Uint8Array =>
  sealRecord({ ...sample, kernel_key_id: kernel.keyid, attempt: i + 1, ...over }, kernel).payloadBytes;
export const recordsOf = (count: number): readonly Uint8Array[] => Array.from({ length: count }, (_, i) => recordOf(i));
/** The record that revokes the kernel's key, sealed by the next key unless another is given. */
export const revocationOf = (by: Signer = nextKernelKey, revokedKey: Signer = kernel): Uint8Array =>
  sealRecord(
    {
      ...sample,
      kind: 'key',
      kernel_key_id: by.keyid,
      operation_id: null,
      phase: null,
      tx_outcome: null,
      new_snapshot_id: null,
      change: formatKeyEvent({
        event: 'revoked',
        purpose: 'record',
        keyid: revokedKey.keyid,
        x: revokedKey.publicJwk.x,
        from: RECORDED_AT,
      }),
    },
    by,
  ).payloadBytes;
/** The signatures of a log in which the next key signed the records at these positions. */
export const signedWithNextKey =
  (records: readonly Uint8Array[], nextKeyIndexes: readonly number[]) =>
  (index: number): Envelope['signatures'][number] =>
    signatureOf(records[index] as Uint8Array, nextKeyIndexes.includes(index) ? nextKernelKey : kernel);
/** The signature of a record. */
export const signatureOf = (record: Uint8Array, by: Signer = kernel): Envelope['signatures'][number] =>
  sealEnvelope(RECORD_PAYLOAD_TYPE, record, by).signatures[0] ?? { keyid: '', sig: '' };
export const rootOfRecords = (records: readonly Uint8Array[]): Uint8Array => rootOf(records.map(leafHash));
export const noteOf = (records: readonly Uint8Array[], { origin = ORIGIN, by = signer } = {}): string =>
  signNote(formatCheckpoint({ origin, treeSize: records.length, root: rootOfRecords(records) }), {
    name: 'writ.spec',
    signer: by,
  });

/** The file of the receipt of a record in a log of these records. */
export function receiptIn(records: readonly Uint8Array[], index: number, by: Signer = kernel): string {
  const hashes = records.map(leafHash);
  const proof = proveInclusion(index, records.length, (level, at) =>
    rootOf(hashes.slice(at * 2 ** level, (at + 1) * 2 ** level)),
  );
  return encodeReceipt(
    assembleReceipt(sealEnvelope(RECORD_PAYLOAD_TYPE, records[index] as Uint8Array, by), {
      leafIndex: index,
      treeSize: records.length,
      hashes: proof,
      checkpoint: noteOf(records),
    }),
  );
}

/**
 * The data of the fake server: the signed note, the records, their signatures, and the records that its consistency
 * proofs use.
 */
export interface FakeLog {
  note: string;
  records: readonly Uint8Array[];
  signed: (index: number) => Envelope['signatures'][number];
  provedRecords: readonly Uint8Array[];
}

export const logOf = (records: readonly Uint8Array[]): FakeLog => ({
  note: noteOf(records),
  records,
  signed: (index) => signatureOf(records[index] as Uint8Array),
  provedRecords: records,
});

/** A server that serves the present value of `state.log`. */
export async function fakeLogServer(state: { log: FakeLog }): Promise<FakeApi> {
  return await fakeApi(({ url }: ReceivedRequest): FakeResponse => {
    const { log } = state;
    const requested = new URL(url, 'http://api');
    if (requested.pathname === '/v1/log/checkpoint') return { body: log.note };
    const tilesByPlace = () =>
      new Map(
        growTiles(0, log.provedRecords.map(leafHash), () => []).map((tile) => [
          `${String(tile.level)}/${String(tile.index)}`,
          tile.hashes,
        ]),
      );
    if (requested.pathname === '/v1/log/consistency') {
      const [from, to] = ['from', 'to'].map((name) => Number(requested.searchParams.get(name))) as [number, number];
      const tiles = tilesByPlace();
      return {
        body: {
          from,
          to,
          hashes: proveConsistency(
            from,
            to,
            hashAtFromTiles((level, index) => tiles.get(`${String(level)}/${String(index)}`) ?? []),
          ).map(encodeBase64),
        },
      };
    }
    const signatures = parseTilePath(requested.pathname.replace('/v1/log/signatures/', 'entries/'));
    if (signatures !== null)
      return {
        body: {
          signatures: Array.from({ length: signatures.width }, (_, i) => log.signed(signatures.index * TILE_WIDTH + i)),
        },
      };
    const tile = parseTilePath(requested.pathname.replace('/v1/log/tile/', ''));
    if (tile === null) return problem(404, 'not_found', 'there is no such thing here');
    if (tile.kind === 'hashes')
      return {
        body: encodeTile(
          (tilesByPlace().get(`${String(tile.level)}/${String(tile.index)}`) ?? []).slice(0, tile.width),
        ),
      };
    return {
      body: encodeEntryBundle(log.records.slice(tile.index * TILE_WIDTH, tile.index * TILE_WIDTH + tile.width)),
    };
  });
}
