// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@writ/blobs';
import { Fault, MCP_LIMITS, type McpTransport, type TenantId } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { ClaimLoop } from '../../foundation/claim-loop.ts';
import type { ClaimedServer, KernelClient, McpReport } from '../../foundation/kernel-client.ts';
import { NotListedHere } from './not-listed-here.ts';

/** How often it asks for a server whose tools are to be listed. An administrator waits for the answer. */
const ASK_MS = 2_000;
const REPLY_MS = 5_000;
/** Tries to report, while the claim lives. */
const REPORT_TRIES = 3;
/** A claim that expired comes to another executor in this time, or to none. */
const LEFT_MS = 4 * MCP_LIMITS.leaseMs;
const LEFT_MAX = 1_000;
/** A slow server holds up no other one. */
export const LISTINGS_AT_ONCE = 4;

/** What a server listed; or why it did not. And who lets persons use it, where that was looked for and found. */
export type Listed = Pick<McpReport, 'authorization'> &
  (
    | { readonly bytes: Uint8Array; readonly about: NonNullable<McpReport['about']> }
    | { readonly problem: NonNullable<McpReport['problem']> }
  );

export interface McpIntakeParts {
  readonly kernel: Pick<KernelClient, 'claimMcpServer' | 'reportMcpServer'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly executorId: string;
  /** servers that this executor can list */
  readonly transports?: readonly McpTransport[];
  /** Lists the tools of a server. It rejects for a bug, or when aborted. */
  readonly list: (server: ClaimedServer, signal: AbortSignal) => Promise<Listed>;
  /** receives bugs and lost stores, for operators */
  readonly failed: (error: unknown, server: ClaimedServer | null) => void;
}

/** Lists the tools of MCP servers that are due, so that the kernel sees what changed. */
export class McpIntake {
  readonly #parts: McpIntakeParts;
  readonly #loop: ClaimLoop<ClaimedServer>;
  /** servers that were left to other executors lately */
  readonly #left = new LRUCache<string, true>({ max: LEFT_MAX, ttl: LEFT_MS });

  constructor(parts: McpIntakeParts) {
    const { kernel, executorId, transports = ['http'] } = parts;
    this.#parts = parts;
    this.#loop = new ClaimLoop({
      askMs: ASK_MS,
      atOnce: LISTINGS_AT_ONCE,
      isNewRequest: true,
      claim: () => kernel.claimMcpServer(executorId, REPLY_MS, transports),
      perform: (server, stopping) => this.#list(server, stopping),
      failed: (error) => parts.failed(error, null),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Ends what it does: the claims expire, and another executor begins anew. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /**
   * INVARIANT (reported): whatever a listing fails with is a problem of its server, unless this stops. A claim that
   * expires is given out again at once, and for ever: a server that causes an error here would cause it all the time.
   * What isn't the server's fault is left to other executors once, for whom the claim expires. It never rejects.
   */
  async #list(server: ClaimedServer, signal: AbortSignal): Promise<void> {
    try {
      const listed = await this.#parts.list(server, signal);
      if (!signal.aborted) await this.#report(server, await this.#stored(server, listed), signal);
    } catch (error) {
      if (signal.aborted || (error instanceof NotListedHere && this.#leave(server))) return;
      this.#parts.failed(error, server);
      const report = { listing: null, about: null, problem: problemOf(error) };
      await this.#report(server, report, signal).catch((second: unknown) => {
        if (!signal.aborted) this.#parts.failed(second, server);
      });
    }
  }

  /** Whether the claim is left to expire: it wasn't just before. */
  #leave({ tenant_id, resource }: ClaimedServer): boolean {
    const key = `${tenant_id} ${resource.resource_id}`;
    if (this.#left.delete(key)) return false;
    this.#left.set(key, true);
    return true;
  }

  async #stored({ tenant_id }: ClaimedServer, listed: Listed): Promise<McpReport> {
    const found = listed.authorization === undefined ? {} : { authorization: listed.authorization };
    if ('problem' in listed) return { listing: null, about: null, problem: listed.problem, ...found };
    const listing = await this.#parts.blobs.put(tenant_id as TenantId, listed.bytes);
    return { listing, about: listed.about, problem: null, ...found };
  }

  async #report(server: ClaimedServer, report: McpReport, signal: AbortSignal): Promise<void> {
    const { kernel, executorId } = this.#parts;
    for (let tries = 1; ; tries += 1) {
      try {
        // Where it doesn't count, another executor lists the tools, or the server was removed.
        await kernel.reportMcpServer(server, executorId, report, REPLY_MS);
        return;
      } catch (error) {
        if (tries >= REPORT_TRIES || !(error instanceof Fault && error.retryable)) throw error;
        await sleep(ASK_MS, undefined, { signal });
      }
    }
  }
}

/** Administrators of a tenant read it, and the error itself is for operators. */
function problemOf(error: unknown): NonNullable<McpReport['problem']> {
  if (error instanceof NotListedHere) return { code: error.code, message: error.message };
  return {
    code: error instanceof Fault ? error.code : 'internal',
    message: 'the executor could not list the tools, and its log says why',
  };
}
