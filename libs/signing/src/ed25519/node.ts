// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import type { Ed25519, Engine } from './ed25519.ts';
import { openssl } from './openssl.ts';
import { sodiumPlatform, type Sodium } from './sodium.ts';
import { AT_ONCE, VerifyingThread } from './verifying-thread.ts';

/**
 * Twice the threads that Node.js has for OpenSSL, so that none is idle. What waits beyond would stand before whatever
 * else they are asked for, the write of what was signed for one.
 */
const OPENSSL_AT_ONCE = 8;

interface Chosen {
  readonly platform: Ed25519;
  readonly engine: Engine;
}

/**
 * Not an import: where libsodium has no build for a platform (musl), or isn't installed beside a file that was bundled,
 * OpenSSL says the same, later.
 */
function choose(): Chosen {
  try {
    const require = createRequire(import.meta.url);
    const sodium = require('sodium-native') as Sodium;
    return {
      platform: sodiumPlatform(sodium, new VerifyingThread(require.resolve('sodium-native'))),
      engine: { name: 'libsodium', without: null, asideAtOnce: AT_ONCE },
    };
  } catch (error) {
    const without = error instanceof Error ? (error.message.split('\n')[0] as string) : 'it does not load';
    return { platform: openssl, engine: { name: 'openssl', without, asideAtOnce: OPENSSL_AT_ONCE } };
  }
}

/** What every process uses: libsodium where it loads, else OpenSSL. */
export const { platform, engine } = choose();
