// SPDX-License-Identifier: Apache-2.0
//
// The thread of `VerifyingThread`: verifies each batch, and replies with one byte per signature. Node.js loads this
// file directly, from sources too.
import { createRequire } from 'node:module';
// eslint-disable-next-line no-restricted-imports -- this is what runs on the thread
import { parentPort, workerData } from 'node:worker_threads';
import { unpack, type Packed } from './packed.ts';
import type { Sodium } from './sodium.ts';

const sodium = createRequire(import.meta.url)(workerData as string) as Sodium;

parentPort?.on('message', (packed: Packed) => {
  const verdicts = Uint8Array.from(unpack(packed), ({ signature, bytes, publicKey }) =>
    Number(sodium.crypto_sign_verify_detached(signature, bytes, publicKey)),
  );
  parentPort?.postMessage(verdicts, [verdicts.buffer]);
});
