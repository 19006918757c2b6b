// SPDX-License-Identifier: Apache-2.0
import type { ListedTool } from '@writ/mcp-client';
import { LRUCache } from 'lru-cache';

/** A definition that is older is listed again, whatever the server says of its listing. */
const VALID_MS_MAX = 30_000;
/** A server that speaks the older revision hardly ever changes that, and then it still understands it. */
const REVISION_MS = 300_000;
const BYTES_MAX = 16 * 1_048_576;
const SERVERS_MAX = 1_000;
/** What is kept of a definition beside its bytes: its key at two bytes a character, and what is around it. */
const ENTRY_BYTES = 1_024;

interface Server {
  isLegacy: boolean;
  until: number;
}

interface Definition {
  readonly bytes: Uint8Array;
  readonly until: number;
  /** a server that was forgotten since has no definitions */
  readonly server: Server;
}

/**
 * The definitions of tools that were called, as their servers listed them, while that is valid. They are bytes, which
 * take the memory that is counted. INVARIANT (one credential): a key names the tenant, the settings and the credential,
 * since a server may list other tools to another client.
 */
export class ListingCache {
  readonly #now: () => number;
  readonly #servers = new LRUCache<string, Server>({ max: SERVERS_MAX });
  readonly #definitions = new LRUCache<string, Definition>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes.buffer.byteLength + ENTRY_BYTES,
  });

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The definition of a tool, and whether the server speaks the revision 2025-11-25, as far as it is known. */
  known(key: string, name: string): { readonly definition: Uint8Array | null; readonly isLegacy: boolean } {
    const server = this.#servers.get(key);
    if (server === undefined) return { definition: null, isLegacy: false };
    const now = this.#now();
    const kept = this.#definitions.get(entryKey(key, name));
    return {
      definition: kept?.server === server && now < kept.until ? kept.bytes : null,
      isLegacy: now < server.until && server.isLegacy,
    };
  }

  /** @param askedAt when the session began that it was listed in: it is not younger than that */
  keep(key: string, name: string, { definition, ttlMs, isLegacy }: ListedTool, askedAt: number): void {
    const server = this.#servers.get(key) ?? { isLegacy, until: 0 };
    server.isLegacy = isLegacy;
    server.until = askedAt + REVISION_MS;
    this.#servers.set(key, server);
    // A listing that is valid for no time is no use to another call.
    if (ttlMs <= 0) return void this.#definitions.delete(entryKey(key, name));
    const until = askedAt + Math.min(ttlMs, VALID_MS_MAX);
    this.#definitions.set(entryKey(key, name), { bytes: definition, until, server });
  }

  /** After a failure the next call asks for everything. */
  forget(key: string): void {
    this.#servers.delete(key);
  }
}

/** A key has no line feed. */
const entryKey = (key: string, name: string): string => `${key}\n${name}`;
