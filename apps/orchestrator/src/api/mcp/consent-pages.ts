// SPDX-License-Identifier: Apache-2.0
//
// Calls of MCP servers that act under the rights of each person, whose person is not connected. A client that can show
// a page gets the one at which this person connects. INVARIANT (that person alone): the link is made for the person of
// the request, who signs in there, and the page refuses anybody else. INVARIANT (a new call): what was refused stays
// refused, and after the consent the call is proposed anew.
import { setTimeout as sleep } from 'node:timers/promises';
import { inputRequired, type InputRequests } from '@modelcontextprotocol/server';
import { Fault, type Caller, type OperationView } from '@writ/contract';
import type { AskConnection } from '../../calls/ask-connection.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** How often it is looked whether the person has consented, in milliseconds: as often as the command line does. */
const POLL_MS = 1_000;

/** A page that the client is to show. */
export interface ConsentPage {
  readonly connectionId: string;
  readonly requests: InputRequests;
}

/** Leads persons to the pages at which they connect to MCP servers. */
export class ConsentPages {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #asking: Pick<AskConnection, 'ask'>;

  constructor(kernel: Pick<KernelClient, 'ask'>, asking: Pick<AskConnection, 'ask'>) {
    this.#kernel = kernel;
    this.#asking = asking;
  }

  /** The page for the person of a refused call; null where there is none, so that words must do. */
  async of(caller: Caller, view: OperationView): Promise<ConsentPage | null> {
    const server = serverWithoutConsent(view);
    if (server === null) return null;
    try {
      const { connection_id: connectionId, url } = await this.#asking.ask(caller, server, false);
      const message = `The MCP server \`${server}\` acts under your own rights, and you are not connected to it. Sign in on this page and consent. Then the call is made again.`;
      return { connectionId, requests: { connect: inputRequired.elicitUrl({ message, url }) } };
    } catch (error) {
      // No person, nowhere to sign in, or too many consents under way: the refusal says what to do.
      if (error instanceof Fault) return null;
      throw error;
    }
  }

  /** Waits until the person has consented. @returns false where they have not, in that time or at all */
  async isGiven(caller: Caller, connection_id: string, waitMs: number, gone: AbortSignal): Promise<boolean> {
    for (let left = waitMs; !gone.aborted; left -= POLL_MS) {
      const { state } = await this.#kernel.ask('mcp_connection.read', caller, { connection_id });
      if (state === 'connected') return true;
      if (state === 'failed' || state === 'ended' || left <= 0) return false;
      await sleep(Math.min(POLL_MS, left), undefined, { signal: gone }).catch(() => undefined);
    }
    return false;
  }
}

/** The server of a call that was refused because its person is not connected to it; null for any other. */
function serverWithoutConsent({ state, tool_id, result, reasons: [reason] }: OperationView): string | null {
  const code = result?.error?.code ?? reason?.code;
  if (state !== 'refused' || code !== 'mcp.consent_required') return null;
  return /^mcp\.([^.]+)\./.exec(tool_id)?.[1] ?? null;
}
