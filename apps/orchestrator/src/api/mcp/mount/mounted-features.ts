// SPDX-License-Identifier: Apache-2.0
import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { Fault, type ToolDefinition } from '@writ/contract';
import { offeredTools } from '@writ/dialects';
import { isServerRequest, serverRequestDigest, type McpServerRequest } from '@writ/mcp-tool';
import type { Offers } from '../../../calls/kernel/offers.ts';
import type { McpAccess } from '../access.ts';
import type { McpMessage } from '../routes.ts';
import type { PinnedTool, RemoteTools } from './remote-tools.ts';

type Feature = 'resources' | 'prompts' | 'completions';
type Declared = Partial<Pick<ServerCapabilities, Feature>>;

/** What of the features beside tools one message needs. */
export interface MountedFeatures {
  /** what the server of this message declares, without its tools */
  readonly declared: Declared;
  /** the request of the message, and the tool that stands for it; null for any other message */
  readonly request: { readonly method: McpServerRequest; readonly tool: PinnedTool } | null;
}

export const NO_FEATURES: MountedFeatures = { declared: {}, request: null };

/** Without all of these requests a capability would promise more than a client gets. */
const NEEDED: readonly (readonly [Feature, readonly McpServerRequest[]])[] = [
  ['resources', ['resources/list', 'resources/read']],
  ['prompts', ['prompts/list', 'prompts/get']],
  ['completions', ['completion/complete']],
];
/** The requests by which a client asks what there is, one of each revision. */
const ASKS_WHAT_THERE_IS: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/** Finds what a message at a mount needs to know of the features beside tools. Most messages need nothing. */
export class MountFeatures {
  readonly #offers: Pick<Offers, 'of'>;
  readonly #remote: Pick<RemoteTools, 'find'>;

  constructor(offers: Pick<Offers, 'of'>, remote: Pick<RemoteTools, 'find'>) {
    this.#offers = offers;
    this.#remote = remote;
  }

  /**
   * A request whose tool was never accepted is none that the mount has. Where that tool is out of force or isn't
   * granted, it is proposed, so that the kernel refuses it and records that. Faults: those of `Offers` that are
   * retryable.
   */
  async of({ method }: McpMessage, access: McpAccess): Promise<MountedFeatures> {
    const { server } = access;
    if (server === null || method === undefined) return NO_FEATURES;
    if (ASKS_WHAT_THERE_IS.has(method)) return { declared: await this.#declared(access, server), request: null };
    if (!isServerRequest(method)) return NO_FEATURES;
    const tool = await this.#remote.find(access.caller, server, method);
    return tool === null ? NO_FEATURES : { declared: declaring(featureOf(method)), request: { method, tool } };
  }

  async #declared(access: McpAccess, server: string): Promise<Declared> {
    const granted = new Set(
      (await this.#granted(access)).flatMap(({ mcp }) =>
        mcp?.server === server && isOwn(mcp) ? [mcp.remote_name] : [],
      ),
    );
    const has = NEEDED.filter(([, methods]) => methods.every((method) => granted.has(method)));
    return declaring(...has.map(([feature]) => feature));
  }

  /** A token that is over grants nothing. Clients show why a request failed, and not why they could not connect. */
  async #granted({ caller, tokenId }: McpAccess): Promise<ToolDefinition[]> {
    try {
      return offeredTools(await this.#offers.of(caller, tokenId, { subAgents: false }));
    } catch (error) {
      if (error instanceof Fault && !error.retryable) return [];
      throw error;
    }
  }
}

/** A tool that the server gave such a name, and that was accepted before the name was reserved, has another digest. */
const isOwn = ({ remote_name, remote_digest }: { readonly remote_name: string; readonly remote_digest: string }) =>
  isServerRequest(remote_name) && remote_digest === serverRequestDigest(remote_name);

const featureOf = (method: McpServerRequest): Feature =>
  method.startsWith('resources/') ? 'resources' : method.startsWith('prompts/') ? 'prompts' : 'completions';

/** Lists have a lifetime instead of notifications of changes. */
const declaring = (...features: readonly Feature[]): Declared => ({
  ...(features.includes('resources') ? { resources: { listChanged: false, subscribe: false } } : {}),
  ...(features.includes('prompts') ? { prompts: { listChanged: false } } : {}),
  ...(features.includes('completions') ? { completions: {} } : {}),
});
