// SPDX-License-Identifier: Apache-2.0
import type { ApiClient } from '@writ/client/web';
import type { VerifiedReceipt } from '@writ/client/verify';

/** The file of a call's receipt, byte for byte. @throws ProblemError, ConnectionError */
export async function readReceipt(api: ApiClient, operationId: string): Promise<string> {
  return await (await api.operations.getReceipt(operationId)).text();
}

/**
 * Verifies a call's receipt with the keys that this server publishes.
 *
 * @throws ReceiptVerificationError with the check that failed; ProblemError, ConnectionError
 */
export async function verifyHere(api: ApiClient, operationId: string): Promise<VerifiedReceipt> {
  const [{ verifyReceipt }, file, keys] = await Promise.all([
    import('@writ/client/verify'),
    readReceipt(api, operationId),
    readKeys(),
  ]);
  return verifyReceipt(file, keys, { operationId });
}

async function readKeys(): Promise<string> {
  const answer = await fetch('/.well-known/writ-keys.json');
  if (!answer.ok) throw new Error(`the server publishes no keys: ${answer.status}`);
  return await answer.text();
}
