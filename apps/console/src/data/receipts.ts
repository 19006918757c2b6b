// SPDX-License-Identifier: Apache-2.0
import type { ApiClient, RecordEntry } from '@writ/client/web';
import type { ExpectedReceipt, TrustedKeys, VerifiedReceipt } from '@writ/client/verify';
import { isSameJson } from './same-json.ts';

/** The file of a call's receipt, byte for byte. @throws ProblemError, ConnectionError */
export async function readReceipt(api: ApiClient, operationId: string): Promise<string> {
  return await (await api.operations.getReceipt(operationId)).text();
}

/** The same of a record of any kind. */
export async function readRecordReceipt(api: ApiClient, leafIndex: number): Promise<string> {
  return await (await api.records.getReceipt(leafIndex)).text();
}

/** The keys that this server publishes. */
export async function readPublishedKeys(): Promise<string> {
  const answer = await fetch('/.well-known/writ-keys.json');
  if (!answer.ok) throw new Error(`the server publishes no keys: ${answer.status}`);
  return await answer.text();
}

/**
 * Verifies the file of a receipt with keys, or with a trust policy. The verifier is loaded for it. Nothing is sent.
 *
 * @throws ReceiptVerificationError with the check that failed
 */
export async function verifyFile(
  file: string | Uint8Array,
  keys: TrustedKeys,
  expected: ExpectedReceipt = {},
): Promise<VerifiedReceipt> {
  const { verifyReceipt } = await import('@writ/client/verify');
  return verifyReceipt(file, keys, expected);
}

/**
 * Verifies a call's receipt with the keys that this server publishes.
 *
 * @throws ReceiptVerificationError with the check that failed; ProblemError, ConnectionError
 */
export async function verifyHere(api: ApiClient, operationId: string): Promise<VerifiedReceipt> {
  const [file, keys] = await Promise.all([readReceipt(api, operationId), readPublishedKeys()]);
  return await verifyFile(file, keys, { operationId });
}

/**
 * Verifies the receipt of a record that is shown. INVARIANT (what is shown): a genuine receipt of another record, or of
 * another content than is on the screen, is no proof of it.
 *
 * @throws as `verifyHere`; Error where the receipt is of something else
 */
export async function verifyRecordHere(api: ApiClient, shown: RecordEntry): Promise<VerifiedReceipt> {
  const [file, keys] = await Promise.all([readRecordReceipt(api, shown.leaf_index), readPublishedKeys()]);
  const verified = await verifyFile(file, keys);
  if (!isSameJson(verified.record, shown.statement['predicate']))
    throw new Error('the receipt is of another record than this page shows');
  return verified;
}
