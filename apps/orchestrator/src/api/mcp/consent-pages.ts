// SPDX-License-Identifier: Apache-2.0
//
// Calls of MCP servers that act under the rights of each person, whose person is not connected. A client that can show
// a page gets the one at which this person connects. INVARIANT (that person alone): the link is made for the person of
// the request, who signs in there, and the page refuses anybody else. INVARIANT (a new call): what was refused stays
// refused, and after the consent the call is proposed anew.
import { setTimeout as sleep } from 'node:timers/promises';
import { inputRequired, type InputRequests } from '@modelcontextprotocol/server';
import { Fault, type Caller, type OperationView } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { AskConnection, ConnectionLink } from '../../calls/ask-connection.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** How often it is looked whether the person has consented, in milliseconds: as often as the command line does. */
const POLL_MS = 1_000;
/** Links that are kept: of more persons than sign in at one time. */
const LINKS_MAX = 10_000;
/** What is left of the lifetime of a link that is shown again, in milliseconds: enough to sign in and consent. */
const LEFT_MIN_MS = 2 * 60_000;
/** States of a consent that its page may still complete. */
const OPEN: readonly string[] = ['asked', 'confirmed', 'exchanging'];

/** A page that the client is to show. */
export interface ConsentPage {
  readonly connectionId: string;
  readonly requests: InputRequests;
}

/** Leads persons to the pages at which they connect to MCP servers. */
export class ConsentPages {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #asking: Pick<AskConnection, 'ask'>;
  readonly #now: () => number;
  /** the newest link of each credential to each server */
  readonly #links = new LRUCache<string, ConnectionLink>({ max: LINKS_MAX });
  /** what is being found out about a link: one check serves all who wait for it */
  readonly #underWay = new Map<string, Promise<ConnectionLink>>();

  /** @param now milliseconds since the epoch */
  constructor(kernel: Pick<KernelClient, 'ask'>, asking: Pick<AskConnection, 'ask'>, now: () => number) {
    this.#kernel = kernel;
    this.#asking = asking;
    this.#now = now;
  }

  /** The page for the person of a refused call; null where there is none, so that words must do. */
  async of(caller: Caller, view: OperationView): Promise<ConsentPage | null> {
    const server = serverWithoutConsent(view);
    if (server === null) return null;
    try {
      const { connection_id: connectionId, url } = await this.#link(caller, server);
      const message = `The MCP server \`${server}\` acts under your own rights, and you are not connected to it. Sign in on this page and consent. Then the call is made again.`;
      return { connectionId, requests: { connect: inputRequired.elicitUrl({ message, url }) } };
    } catch (error) {
      // No person, nowhere to sign in, or too many consents under way: the refusal says what to do.
      if (error instanceof Fault) return null;
      throw error;
    }
  }

  /**
   * One link serves all calls that wait for the same consent. A person may have few consents under way, and calls that
   * are made at once would use them up.
   */
  async #link(caller: Caller, server: string): Promise<ConnectionLink> {
    const of = JSON.stringify([caller.tenant_id, caller.api_key_id, server]);
    const underWay = this.#underWay.get(of);
    if (underWay !== undefined) return await underWay;
    const link = this.#open(caller, server, of);
    this.#underWay.set(of, link);
    try {
      return await link;
    } finally {
      this.#underWay.delete(of);
    }
  }

  async #open(caller: Caller, server: string, of: string): Promise<ConnectionLink> {
    const kept = this.#links.get(of);
    if (kept !== undefined && (await this.#isOpen(caller, kept))) return kept;
    const link = await this.#asking.ask(caller, server, false);
    this.#links.set(of, link);
    return link;
  }

  /** A link of which the kernel can't say anything at the moment is as good as it was. */
  async #isOpen(caller: Caller, { connection_id, expires_at }: ConnectionLink): Promise<boolean> {
    if (expires_at - this.#now() < LEFT_MIN_MS) return false;
    try {
      const { state } = await this.#kernel.ask('mcp_connection.read', caller, { connection_id });
      return OPEN.includes(state);
    } catch (error) {
      if (error instanceof Fault && error.retryable) return true;
      throw error;
    }
  }

  /**
   * Waits until the person has consented.
   * @param leftMs the milliseconds that are left to wait
   * @returns false where they have not, in that time or at all
   */
  async isGiven(caller: Caller, connection_id: string, leftMs: () => number, gone: AbortSignal): Promise<boolean> {
    while (!gone.aborted) {
      const { state } = await this.#kernel.ask('mcp_connection.read', caller, { connection_id });
      if (state === 'connected') return true;
      const left = leftMs();
      if (state === 'failed' || state === 'ended' || left <= 0) return false;
      await sleep(Math.min(POLL_MS, left), undefined, { signal: gone }).catch(() => undefined);
    }
    return false;
  }
}

/** Whether a call had no effect because its person is not connected to its server. */
export const lacksConsent = (view: OperationView): boolean => serverWithoutConsent(view) !== null;

/**
 * The server of a call that had no effect because its person is not connected to it; null for any other. A consent may
 * end after the decision: then the call is rolled back.
 */
function serverWithoutConsent({ state, tool_id, result, reasons: [reason] }: OperationView): string | null {
  const code = result?.error?.code ?? reason?.code;
  if ((state !== 'refused' && state !== 'rolled_back') || code !== 'mcp.consent_required') return null;
  return /^mcp\.([^.]+)\./.exec(tool_id)?.[1] ?? null;
}
