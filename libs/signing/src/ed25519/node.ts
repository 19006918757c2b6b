// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import type { Ed25519, Engine } from './ed25519.ts';
import { openssl } from './openssl.ts';
import { sodiumPlatform, type Sodium } from './sodium.ts';
import { BATCH_MAX, VerifyingThread } from './verifying-thread.ts';

/**
 * Twice Node.js's default threads for OpenSSL, so that none is idle. More would delay other work of these threads, such
 * as disk writes.
 */
const OPENSSL_AT_ONCE = 8;

interface Chosen {
  readonly platform: Ed25519;
  readonly engine: Engine;
}

/**
 * Not an import: if libsodium has no build for a platform (musl), or isn't installed beside a bundled file, OpenSSL
 * returns the same verdicts, more slowly.
 */
function choose(): Chosen {
  try {
    const require = createRequire(import.meta.url);
    const sodium = require('sodium-native') as Sodium;
    return {
      platform: sodiumPlatform(sodium, new VerifyingThread(require.resolve('sodium-native'))),
      engine: { name: 'libsodium', without: null, threadBatchSize: BATCH_MAX },
    };
  } catch (error) {
    const without = error instanceof Error ? (error.message.split('\n')[0] as string) : 'it does not load';
    return { platform: openssl, engine: { name: 'openssl', without, threadBatchSize: OPENSSL_AT_ONCE } };
  }
}

/** The platform of every process: libsodium if it loads, else OpenSSL. */
export const { platform, engine } = choose();
