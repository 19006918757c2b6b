// SPDX-License-Identifier: Apache-2.0
//
// The cost of verification, compared with the hash or the signature alone in Node.js.
import { generateKeyPairSync, hash, randomBytes, sign, verify } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatId, logIdOf } from '@writ/contract';
import {
  appendLeaves,
  EMPTY_FRONTIER,
  encodeEntryBundle,
  entryBundlePath,
  leafHash,
  rootFromInclusion,
  rootOfFrontier,
  signaturesPath,
  TILE_WIDTH,
  type Frontier,
} from '@writ/merkle';
import {
  assembleReceipt,
  encodeReceipt,
  parseKeySet,
  sealRecord,
  verifyReceiptFile,
  type SealedRecord,
} from '@writ/receipt';
import { formatCheckpoint, formatNoteKey, parseSigner, signNote, type Signer } from '@writ/signing';
import { decisionRecord } from '@writ/stack';
import { measure, summarise, type Load, type Metric } from '../measure.ts';
import { runProgram } from './programs.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

const DEPLOYMENT = 'writ.bench';
const TENANT = formatId('tenant', randomBytes(16));
const ORIGIN = `${DEPLOYMENT}/${logIdOf(TENANT)}`;
const RECORD_BYTES = 1_500;
/** Distinct records; a longer log repeats them, which makes no difference to a verifier. */
const DISTINCT = 4_096;
const RUNS = 3;
const LARGE_LOG = 1_000_000;
/** Samples measured together where one is too short for the clock. */
const AT_ONCE = 100;

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const kernel = newSigner();
const ledger = newSigner();
const KEYS = JSON.stringify({
  record_keys: [{ keyid: kernel.keyid, jwk: kernel.publicJwk }],
  log_keys: [formatNoteKey(DEPLOYMENT, ledger.publicKey)],
});
const sealed = (): SealedRecord => sealRecord(decisionRecord(TENANT, kernel.keyid), kernel);
const noteOf = (treeSize: number, root: Uint8Array): string =>
  signNote(formatCheckpoint({ origin: ORIGIN, treeSize, root }), { name: DEPLOYMENT, signer: ledger });

/** One hash of a record's bytes, by Node.js alone. */
export function sha256Raw(samples: number): Promise<Measured> {
  const bytes = randomBytes(RECORD_BYTES);
  return inHundreds(samples, () => {
    hash('sha256', bytes, 'hex');
  });
}

/** One verification of a signature over a record's bytes, by Node.js alone, on one thread. */
export function ed25519Raw(samples: number): Promise<Measured> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const bytes = randomBytes(RECORD_BYTES);
  const signature = sign(null, bytes, privateKey);
  return inHundreds(samples, () => {
    verify(null, bytes, publicKey, signature);
  });
}

/** `writ log verify` over a copy on disk, without the start of the program; a sample is a record. */
export async function logVerify(records: number, kind: 'hashes' | 'signatures'): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'writ-bench-'));
  try {
    writeMirror(folder, records);
    writeFileSync(join(folder, 'keys.json'), KEYS);
    const args = [
      'log',
      'verify',
      '--mirror',
      folder,
      '--keys',
      join(folder, 'keys.json'),
      ...(kind === 'hashes' ? ['--no-signatures'] : []),
    ];
    const runs: { ms: number; cpuMs: number }[] = [];
    for (let i = 0; i < RUNS; i++) runs.push(await runProgram('verify-log', args));
    const cpuMs = runs.reduce((sum, run) => sum + run.cpuMs, 0) / RUNS / records;
    console.log(
      `  processor time a record: ${Math.round(cpuMs * 1_000)} µs, which is ${Math.round(1_000 / cpuMs)} a second on a core`,
    );
    const measured = summarise(
      runs.map(({ ms }) => ms / records),
      runs.reduce((sum, { ms }) => sum + ms, 0),
    );
    return { ...measured, n: RUNS * records, rate: (measured.rate ?? 0) * records };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A copy as `writ log mirror` writes it, without the tiles of hashes, which only proofs need. */
function writeMirror(folder: string, records: number): void {
  const distinct = Array.from({ length: Math.min(records, DISTINCT) }, sealed);
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  let frontier: Frontier = EMPTY_FRONTIER;
  for (let index = 0; index * TILE_WIDTH < records; index += 1) {
    const some = Array.from(
      { length: TILE_WIDTH },
      (_, i) => distinct[(index * TILE_WIDTH + i) % distinct.length] as SealedRecord,
    );
    put(entryBundlePath(index), encodeEntryBundle(some.map(({ payloadBytes }) => payloadBytes)));
    put(signaturesPath(index), JSON.stringify({ signatures: some.map(({ envelope }) => envelope.signatures[0]) }));
    frontier = appendLeaves(
      frontier,
      some.map(({ payloadBytes }) => leafHash(payloadBytes)),
    );
  }
  put('checkpoint', noteOf(frontier.size, rootOfFrontier(frontier)));
}

/**
 * One receipt of a log of a million records, verified from its file, offline: signature, statement, checkpoint and
 * proof.
 */
export function receiptVerify(load: Load): Promise<Measured> {
  const { payloadBytes, envelope } = sealed();
  const leafIndex = LARGE_LOG / 2;
  const hashes = Array.from({ length: Math.ceil(Math.log2(LARGE_LOG)) }, () => new Uint8Array(randomBytes(32)));
  const root = rootFromInclusion({ leafHash: leafHash(payloadBytes), leafIndex, treeSize: LARGE_LOG, hashes });
  const file = encodeReceipt(
    assembleReceipt(envelope, { leafIndex, treeSize: LARGE_LOG, hashes, checkpoint: noteOf(LARGE_LOG, root) }),
  );
  const keys = parseKeySet(KEYS);
  return measure(load, () => Promise.resolve(void verifyReceiptFile(file, keys)));
}

async function inHundreds(samples: number, sample: () => void): Promise<Measured> {
  const load: Load = { clients: 1, samples: samples / AT_ONCE, warmUp: 10, msMax: 20_000 };
  const measured = await measure(load, () => {
    for (let i = 0; i < AT_ONCE; i++) sample();
    return Promise.resolve();
  });
  const each = (ms: number): number => Math.round((ms / AT_ONCE) * 1_000_000) / 1_000_000;
  return {
    ...measured,
    n: measured.n * AT_ONCE,
    p50: each(measured.p50),
    p95: each(measured.p95),
    p99: each(measured.p99),
    rate: (measured.rate ?? 0) * AT_ONCE,
  };
}
