// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import type { CallDefaults } from '../../calls/call-defaults.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/**
 * What one request of an MCP client acts under. It is found anew for each request: nothing is kept between two of them,
 * so any replica serves any request, and a revoked key or token ends it with the next message.
 */
export interface McpAccess {
  readonly caller: Caller;
  readonly agentId: string;
  readonly tokenId: string;
  /** null where neither the request nor the token names one: then no tool can be called */
  readonly workspaceId: string | null;
  /** `search`: the list has only the tools that find and describe the others */
  readonly catalogue: 'all' | 'search';
  /** the MCP server that is served as if the client spoke to it itself; null: all of Writ is served */
  readonly server: string | null;
  /** a header of the request, by its name in small letters */
  readonly header: (name: string) => string | undefined;
  /** aborts when the client closes the request before it has its answer */
  readonly gone: AbortSignal;
}

/** What a request says about its access. */
export interface AccessRequest {
  readonly caller: Caller;
  /** absent: the only usable token of the key's agent */
  readonly tokenId: string | undefined;
  readonly workspaceId: string | undefined;
  readonly catalogue: 'all' | 'search';
  readonly server: string | null;
  readonly header: (name: string) => string | undefined;
  readonly gone: AbortSignal;
}

/** Finds the capability token, the agent and the workspace of a request. */
export class AccessFinder {
  readonly #kernel: KernelClient;
  readonly #defaults: CallDefaults;

  constructor(kernel: KernelClient, defaults: CallDefaults) {
    this.#kernel = kernel;
    this.#defaults = defaults;
  }

  /**
   * Faults: `not_found` for a token that isn't there, isn't the caller's or is of another agent than the key's;
   * `conflict` where the request names none and the agent hasn't exactly one.
   */
  async open(request: AccessRequest): Promise<McpAccess> {
    const { caller, catalogue, server, header, gone } = request;
    const tokenId = request.tokenId ?? (await this.#onlyTokenOf(caller));
    const token = await this.#kernel.ask('token.read', caller, { capability_token_id: tokenId });
    // A key sees the tokens that descend from its agent's, which may be of other agents. It doesn't act for those.
    if (caller.agent_id !== null && token.agent_id !== caller.agent_id) throw new Fault('not_found');
    return {
      caller,
      agentId: token.agent_id,
      tokenId,
      workspaceId: request.workspaceId ?? token.workspace_id,
      catalogue,
      server,
      header,
      gone,
    };
  }

  async #onlyTokenOf(caller: Caller): Promise<string> {
    const how = 'name one in the path (`/mcp/cap_…`) or in the header `Writ-Token`';
    if (caller.agent_id === null) throw new Fault('conflict', `the key is of no agent, so no token is its own: ${how}`);
    return await this.#defaults.onlyTokenOf(caller, caller.agent_id, how);
  }
}
