// SPDX-License-Identifier: Apache-2.0
import type { McpRemoteTool } from '@writ/contract';
import type { Listing } from '@writ/mcp-client';
import { LRUCache } from 'lru-cache';

/** A definition that is older is listed again, whatever the server says of its listing. */
const VALID_MS_MAX = 30_000;
/** A server that speaks the older revision hardly ever changes that, and then it still understands it. */
const REVISION_MS = 300_000;
const BYTES_MAX = 16 * 1_048_576;
const SERVERS_MAX = 1_000;
/** What is kept of a server beside its tools. */
const ENTRY_BYTES = 256;

interface Entry {
  readonly isLegacy: boolean;
  readonly tools: ReadonlyMap<string, McpRemoteTool>;
  readonly bytes: number;
  /** until when the tools are valid, and until when the revision is */
  readonly toolsUntil: number;
  readonly revisionUntil: number;
}

/**
 * What servers listed, while it is valid. INVARIANT (one credential): a key names the tenant, the settings and the
 * credential, since a server may list other tools to another client.
 */
export class ListingCache {
  readonly #now: () => number;
  readonly #entries = new LRUCache<string, Entry>({
    max: SERVERS_MAX,
    maxSize: BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes,
  });

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The definition of a tool, and whether the server speaks the revision 2025-11-25, as far as it is known. */
  known(key: string, name: string): { readonly tool: McpRemoteTool | null; readonly isLegacy: boolean } {
    const entry = this.#entries.get(key);
    if (entry === undefined) return { tool: null, isLegacy: false };
    const now = this.#now();
    return {
      tool: now < entry.toolsUntil ? (entry.tools.get(name) ?? null) : null,
      isLegacy: now < entry.revisionUntil && entry.isLegacy,
    };
  }

  /** @param askedAt when the session began that it was listed in: it is not younger than that */
  keep(key: string, { tools, ttlMs, isLegacy, bytes }: Listing, askedAt: number): void {
    this.#entries.set(key, {
      isLegacy,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      bytes: bytes + ENTRY_BYTES,
      toolsUntil: askedAt + Math.min(ttlMs, VALID_MS_MAX),
      revisionUntil: askedAt + REVISION_MS,
    });
  }

  /** After a failure the next call asks for everything. */
  forget(key: string): void {
    this.#entries.delete(key);
  }
}
