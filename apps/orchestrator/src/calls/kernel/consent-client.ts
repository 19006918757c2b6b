// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import {
  allowUnknownMembers,
  McpConsentBegun,
  McpConsentKey,
  McpConsentState,
  McpConsentView,
  parseMessage,
  type MCP_CONSENT_REQUESTS,
  type Subjects,
} from '@writ/contract';
import { consentCodeContext, sealTo } from '@writ/sealing';
import type { Static, TSchema } from 'typebox';

/** Longest wait for the kernel's reply, in milliseconds: a person waits for the page. */
const ASK_MS = 10_000;

type Requests = typeof MCP_CONSENT_REQUESTS;
type Body<V extends keyof Requests> = Omit<Static<Requests[V]>, 'v'>;

const REPLIES = {
  look: allowUnknownMembers(McpConsentView),
  confirm: allowUnknownMembers(McpConsentBegun),
  callback: allowUnknownMembers(McpConsentState),
  status: allowUnknownMembers(McpConsentState),
  key: allowUnknownMembers(McpConsentKey),
} as const satisfies Record<keyof Requests, TSchema>;

/**
 * The kernel, as pages of consents need it. What is unknown, expired, used up or another session's is the fault
 * `not_found`.
 */
export class ConsentClient {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#now = now;
  }

  look(request: Body<'look'>): Promise<McpConsentView> {
    return this.#ask('look', request);
  }

  /** Faults: `mcp.consent_not_yours`, `conflict` once the person came back. */
  confirm(request: Body<'confirm'>): Promise<McpConsentBegun> {
    return this.#ask('confirm', request);
  }

  /**
   * Hands over what an authorization server answered.
   * INVARIANT (sealed): the code is in no message in clear.
   */
  async callback({ code, ...request }: Body<'callback'>): Promise<McpConsentState> {
    return await this.#ask('callback', {
      ...request,
      code: code === null ? null : await this.#sealedCode(code, request.state),
    });
  }

  status(request: Body<'status'>): Promise<McpConsentState> {
    return this.#ask('status', request);
  }

  async #sealedCode(code: string, state: string): Promise<string> {
    const { public_key } = await this.#ask('key', {});
    const sealed = await sealTo(Buffer.from(public_key, 'base64'), Buffer.from(code), consentCodeContext(state));
    return sealed.toString('base64');
  }

  async #ask<V extends keyof Requests>(verb: V, request: Body<V>): Promise<Static<(typeof REPLIES)[V]>> {
    const subject = this.#subjects.request(`kernel.mcp_consent.${verb}`);
    const reply = await this.#bus.request(subject, { v: 1, ...request }, { deadline: this.#now() + ASK_MS });
    return parseMessage(REPLIES[verb], reply);
  }
}
