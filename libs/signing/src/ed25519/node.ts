// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import type { Ed25519, Engine } from './ed25519.ts';
import { openssl } from './openssl.ts';
import { sodiumPlatform, type Sodium } from './sodium.ts';

/** Not an import: where libsodium has no build for a platform (musl), or isn't installed beside a file that was bundled, OpenSSL says the same, later. */
function loadSodium(): { readonly sodium: Sodium | null; readonly without: string | null } {
  try {
    return { sodium: createRequire(import.meta.url)('sodium-native') as Sodium, without: null };
  } catch (error) {
    return { sodium: null, without: error instanceof Error ? (error.message.split('\n')[0] as string) : 'it does not load' };
  }
}

const { sodium, without } = loadSodium();

/** What every process uses: libsodium where it loads, else OpenSSL. */
export const platform: Ed25519 = sodium === null ? openssl : sodiumPlatform(sodium);

/** Whose code it is, and for OpenSSL why it isn't libsodium's. */
export const engine: Engine = { name: sodium === null ? 'openssl' : 'libsodium', without };
