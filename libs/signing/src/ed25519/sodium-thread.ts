// SPDX-License-Identifier: Apache-2.0
//
// The thread of `VerifyingThread`: verifies what it is sent, and answers with a byte each. Node.js reads this file as
// it stands, from sources too.
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
