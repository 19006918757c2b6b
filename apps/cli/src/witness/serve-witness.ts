// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  cosign,
  formatCosignerKey,
  parseAddCheckpoint,
  SignatureError,
  type AddCheckpoint,
  type NoteKey,
  type NoteSigner,
} from '@writ/signing';
import { judgeCheckpoint } from './judge-checkpoint.ts';
import type { WitnessFolder } from './witness-folder.ts';

/** 63 hashes and a note of a hundred signatures are 20 KiB. */
const BODY_BYTES_MAX = 64 * 1024;
/** The time limit for a request to arrive. */
const REQUEST_MS = 10_000;
const MS_PER_S = 1000;

export interface Witness {
  readonly folder: WitnessFolder;
  readonly signer: NoteSigner;
  /** The keys of the logs that it watches. */
  readonly logs: readonly NoteKey[];
  /** called when evidence is found */
  readonly onEvidence: (origin: string) => void;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
}

/**
 * The server of a witness (https://c2sp.org/tlog-witness): `POST /add-checkpoint`, and its key at `/`. It isn't
 * listening yet.
 */
export function witnessServer(witness: Witness): Server {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(witness, request).then(
      ({ status, body = '', type = 'text/plain; charset=utf-8' }) =>
        response.writeHead(status, { 'content-type': type }).end(body),
      // The state can't be read or written, so nothing was cosigned.
      () => failed(response),
    );
  });
  return server;
}

const failed = (response: ServerResponse): void => {
  response.writeHead(500).end();
};

async function answer(witness: Witness, request: IncomingMessage): Promise<Answer> {
  if (request.method === 'GET' && request.url === '/')
    return { status: 200, body: `${formatCosignerKey(witness.signer.name, witness.signer.signer.publicKey)}\n` };
  if (request.url !== '/add-checkpoint') return { status: 404 };
  if (request.method !== 'POST') return { status: 405 };
  const body = await readBody(request);
  const parsed = body === null ? null : requestOf(body);
  return parsed === null
    ? { status: 400, body: 'no request for a cosignature\n' }
    : addCheckpoint(witness, parsed, Date.now());
}

/**
 * Judges and answers. INVARIANT (one at a time): this function never awaits, so no other request runs between the read,
 * the decision and the write. The state is on disk before the cosignature is made.
 */
export function addCheckpoint(
  { folder, signer, logs, onEvidence }: Witness,
  request: AddCheckpoint,
  now: number,
): Answer {
  const judged = judgeCheckpoint(request, logs, (origin) => folder.lastCosigned(origin));
  if ('evidence' in judged && judged.evidence !== null) {
    folder.saveEvidence(judged.evidence, now);
    onEvidence(judged.evidence.origin);
  }
  switch (judged.verdict) {
    case 'malformed':
      return { status: 400, body: 'no checkpoint, or one smaller than the size before it\n' };
    case 'unknown_log':
      return { status: 404, body: 'this witness does not watch that log\n' };
    case 'bad_signature':
      return { status: 403, body: 'no key of the log has signed this\n' };
    case 'conflict':
      return { status: 409, body: `${String(judged.treeSize)}\n`, type: 'text/x.tlog.size' };
    case 'bad_proof':
      return { status: 422, body: 'the log did not prove that it grew from what this witness saw\n' };
    case 'cosign':
      folder.saveCosigned(judged.origin, judged.cosigned);
      return { status: 200, body: cosign(judged.text, signer, Math.floor(now / MS_PER_S)) };
  }
}

function requestOf(body: string): AddCheckpoint | null {
  try {
    return parseAddCheckpoint(body);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return null;
  }
}

/** Null for a body that is longer than a request can be. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > BODY_BYTES_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
