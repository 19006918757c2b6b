// SPDX-License-Identifier: Apache-2.0
import { matchesTool } from '@writ/capability';
import { tenantDefinition } from '@writ/cli-tool';
import {
  AGENT_SPAWN,
  Fault,
  LIMITS,
  SKILL_READ,
  TOOLS,
  type Caller,
  type Grant,
  type TenantToolView,
  type ToolDefinition,
} from '@writ/contract';
import { offeredTools, type Offer, type OfferedResource, type OfferedSkill } from '@writ/dialects';
import { offeredDefinition } from '@writ/mcp-tool';
import { LRUCache } from 'lru-cache';
import { allItems } from './all-items.ts';
import type { KernelClient } from './kernel-client.ts';
import { tenantTools } from './tenant-tools.ts';

/** The newest resources of a kind that a prompt names: each is a word of it. */
const RESOURCES_MAX = 50;
/** Definitions of tenants' tools that are kept: a tenant has 256 at most. */
const DEFINITIONS_MAX = 1_024;

/** Finds the tools to offer to a model: those of the tenant, with the grant of a token. */
export class Offers {
  readonly #kernel: KernelClient;
  readonly #now: () => number;
  readonly #definitions = new LRUCache<string, ToolDefinition>({ max: DEFINITIONS_MAX });

  /** @param now milliseconds since the epoch */
  constructor(kernel: KernelClient, now: () => number) {
    this.#kernel = kernel;
    this.#now = now;
  }

  /**
   * What the token grants now. A child grants no more than its ancestors, so its own grant is sufficient. The kernel
   * decides who may see a token.
   * @param subAgents whether the model may have sub-agents where it is used
   * Faults: `not_found`, `token.revoked`, `token.expired`, `token.not_yet_valid`.
   */
  async of(
    caller: Caller,
    capability_token_id: string,
    { subAgents }: { readonly subAgents: boolean },
  ): Promise<Offer> {
    const [{ agent_id, grant, revoked }, own] = await Promise.all([
      this.#kernel.ask('token.read', caller, { capability_token_id }),
      tenantTools(this.#kernel, caller),
    ]);
    const now = this.#now();
    if (revoked) throw new Fault('token.revoked');
    if (grant.expires_at <= now) throw new Fault('token.expired');
    if (grant.not_before > now) throw new Fault('token.not_yet_valid');
    const ours = [...TOOLS.values()].filter(({ tool_id }) => subAgents || tool_id !== AGENT_SPAWN.tool_id);
    const tools = [...ours, ...own.map((view) => this.#definitionOf(view))];
    const resources = await this.#resources(caller, agent_id, granted(tools, grant));
    const offer = { tools, chain: [grant], resources };
    return offeredTools(offer).some(({ tool_id }) => tool_id === SKILL_READ.tool_id)
      ? { ...offer, skills: await this.#skills(caller, agent_id) }
      : offer;
  }

  /** The same object for the same definition, so that what is derived from one can be kept with it. */
  #definitionOf({ tool, definition_digest }: TenantToolView): ToolDefinition {
    const key = `${tool.tool_id} ${definition_digest}`;
    const kept = this.#definitions.get(key);
    if (kept !== undefined) return kept;
    const made = offeredDefinition(tenantDefinition(tool));
    this.#definitions.set(key, made);
    return made;
  }

  /** The resources that the agent may use, of the kinds that its tools need. */
  async #resources(
    caller: Caller,
    agent_id: string,
    tools: readonly Pick<ToolDefinition, 'needs'>[],
  ): Promise<OfferedResource[]> {
    const kinds = [...new Set(tools.flatMap(({ needs }) => (needs === undefined ? [] : [needs])))].sort();
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const list = (cursor: string | null) => {
          const page = { cursor, limit: RESOURCES_MAX };
          return this.#kernel.ask('resource.list', caller, { page, kind, name: null, agent_id });
        };
        // A tool of an MCP server is offered to those alone who may use that server, however many there are.
        return kind === 'mcp_server' ? await allItems(list) : (await list(null)).items;
      }),
    );
    return lists.flat().map(({ kind, name }) => ({ kind, name }));
  }

  /** Names and descriptions of skills that the agent is granted, offered only if the token grants reading them. */
  async #skills(caller: Caller, agent_id: string): Promise<OfferedSkill[]> {
    const [skills, granted] = await Promise.all([
      allItems((cursor) => this.#kernel.ask('skill.list', caller, { page: { cursor, limit: LIMITS.skills.max } })),
      allItems((cursor) => {
        const page = { cursor, limit: RESOURCES_MAX };
        return this.#kernel.ask('resource.list', caller, { page, kind: 'skill', name: null, agent_id });
      }),
    ]);
    const names = new Set(granted.map(({ name }) => name));
    return skills.filter(({ name }) => names.has(name)).map(({ name, description }) => ({ name, description }));
  }
}

/** The tools that the token grants, whatever resources there are. */
const granted = (tools: readonly ToolDefinition[], grant: Grant): ToolDefinition[] =>
  tools.filter(({ tool_id }) => grant.tools.some((pattern) => matchesTool(pattern, tool_id)));
