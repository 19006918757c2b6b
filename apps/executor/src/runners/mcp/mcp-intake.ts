// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@writ/blobs';
import { Fault, type McpTransport, type TenantId } from '@writ/contract';
import type { ClaimedServer, KernelClient, McpReport } from '../../foundation/kernel-client.ts';

/** How often it asks for a server whose tools are to be listed. An administrator waits for the answer. */
const ASK_MS = 2_000;
const REPLY_MS = 5_000;
/** Tries to report, while the claim lives. */
const REPORT_TRIES = 3;
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
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();

  constructor(parts: McpIntakeParts) {
    this.#parts = parts;
  }

  start(): Promise<void> {
    this.#loop = this.#run();
    return Promise.resolve();
  }

  /** Ends what it does: the claims expire, and another executor begins anew. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const hadOne = await this.#next().catch((error: unknown) => {
        // A kernel that isn't there yet, or is busy, is asked again; and one of the previous version knows no servers.
        const isPassing = error instanceof Fault && (error.retryable || error.code === 'request.malformed');
        if (!signal.aborted && !isPassing) this.#parts.failed(error, null);
        return false;
      });
      if (!hadOne) await sleep(ASK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #next(): Promise<boolean> {
    if (this.#running.size >= LISTINGS_AT_ONCE) {
      await Promise.race(this.#running);
      return true;
    }
    const { kernel, executorId, transports = ['http'] } = this.#parts;
    const server = await kernel.claimMcpServer(executorId, REPLY_MS, transports);
    if (server === null) return false;
    const listing = this.#list(server).finally(() => this.#running.delete(listing));
    this.#running.add(listing);
    return true;
  }

  /**
   * INVARIANT (reported): whatever a listing fails with is a problem of its server, unless this stops. A claim that
   * expires is given out again at once, and for ever: a server that causes an error here would cause it all the time.
   * It never rejects.
   */
  async #list(server: ClaimedServer): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const listed = await this.#parts.list(server, signal);
      if (!signal.aborted) await this.#report(server, await this.#stored(server, listed));
    } catch (error) {
      if (signal.aborted) return;
      this.#parts.failed(error, server);
      await this.#report(server, { listing: null, about: null, problem: problemOf(error) }).catch((second: unknown) => {
        if (!signal.aborted) this.#parts.failed(second, server);
      });
    }
  }

  async #stored({ tenant_id }: ClaimedServer, listed: Listed): Promise<McpReport> {
    const found = listed.authorization === undefined ? {} : { authorization: listed.authorization };
    if ('problem' in listed) return { listing: null, about: null, problem: listed.problem, ...found };
    const listing = await this.#parts.blobs.put(tenant_id as TenantId, listed.bytes);
    return { listing, about: listed.about, problem: null, ...found };
  }

  async #report(server: ClaimedServer, report: McpReport): Promise<void> {
    const { kernel, executorId } = this.#parts;
    for (let tries = 1; ; tries += 1) {
      try {
        // Where it doesn't count, another executor lists the tools, or the server was removed.
        await kernel.reportMcpServer(server, executorId, report, REPLY_MS);
        return;
      } catch (error) {
        if (tries >= REPORT_TRIES || !(error instanceof Fault && error.retryable)) throw error;
        await sleep(ASK_MS, undefined, { signal: this.#stopping.signal });
      }
    }
  }
}

/** Administrators of a tenant read it, and the error itself is for operators. */
const problemOf = (error: unknown): NonNullable<McpReport['problem']> => ({
  code: error instanceof Fault ? error.code : 'internal',
  message: 'the executor could not list the tools, and its log says why',
});
