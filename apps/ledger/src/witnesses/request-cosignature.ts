// SPDX-License-Identifier: Apache-2.0
import { formatAddCheckpoint, SignatureError, verifyCosignatures, type AddCheckpoint } from '@writ/signing';
import type { WitnessAddress } from '../foundation/witnesses-file.ts';

/** A witness that takes longer gets another request in a later round. */
const REPLY_TIMEOUT_MS = 5_000;
/** An answer has a few lines. This bounds what a hostile witness can send. */
const ANSWER_BYTES_MAX = 16 * 1024;

/** The answer of a witness: its cosignature line, the size that it saw last, or why there is neither. */
export type WitnessAnswer =
  | { readonly kind: 'cosigned'; readonly line: string }
  | { readonly kind: 'size'; readonly treeSize: number }
  | { readonly kind: 'nothing'; readonly why: string };

/** Requests a cosignature from one witness. Never throws. */
export type RequestCosignature = (witness: WitnessAddress, request: AddCheckpoint) => Promise<WitnessAnswer>;

/**
 * Requests the cosignature over HTTP (https://c2sp.org/tlog-witness). The answer is attacker-controlled: a line counts
 * only if it verifies under the witness's key.
 */
export const requestOverHttp: RequestCosignature = async (witness, request) => {
  try {
    const answer = await fetch(`${witness.url}add-checkpoint`, {
      method: 'POST',
      body: formatAddCheckpoint(request),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      redirect: 'error',
      signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
    });
    return parseWitnessAnswer(answer.status, await boundedText(answer), witness, request);
  } catch (error) {
    return { kind: 'nothing', why: error instanceof Error ? error.message : 'unknown' };
  }
};

/** Parses an answer. */
export function parseWitnessAnswer(
  status: number,
  body: string,
  witness: WitnessAddress,
  request: AddCheckpoint,
): WitnessAnswer {
  if (status === 409 && /^(?:0|[1-9]\d{0,15})\n$/.test(body)) return { kind: 'size', treeSize: Number(body) };
  if (status !== 200) return { kind: 'nothing', why: `it answered with status ${status}` };
  const line = body
    .split('\n')
    .map((text) => `${text}\n`)
    .find((text) => isCosignature(text, witness, request));
  return line === undefined
    ? { kind: 'nothing', why: 'it answered with no cosignature that its key made' }
    : { kind: 'cosigned', line };
}

function isCosignature(line: string, { key }: WitnessAddress, { note }: AddCheckpoint): boolean {
  try {
    return verifyCosignatures(note + line, [key]).length === 1;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return false;
  }
}

async function boundedText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > ANSWER_BYTES_MAX) throw new Error('its answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
