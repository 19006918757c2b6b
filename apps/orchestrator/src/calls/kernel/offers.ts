// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import { AGENT_SPAWN, Fault, LIMITS, SKILL_READ, TOOLS, type Caller } from '@writ/contract';
import { offeredTools, type Offer, type OfferedSkill } from '@writ/dialects';
import { allItems } from './all-items.ts';
import type { KernelClient } from './kernel-client.ts';
import { tenantTools } from './tenant-tools.ts';

/** What a model may be told of: the tools that there are for the tenant, and what a token of it grants. */
export class Offers {
  readonly #kernel: KernelClient;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(kernel: KernelClient, now: () => number) {
    this.#kernel = kernel;
    this.#now = now;
  }

  /**
   * What the token grants now. A child grants no more than the tokens above it, so its own grant says it all; who may
   * see a token is the kernel's to say.
   * @param within what the model is in: sub-agents are for runs, so a turn is told of none
   * Faults: `not_found`, `token.revoked`, `token.expired`, `token.not_yet_valid`.
   */
  async of(caller: Caller, capability_token_id: string, within: 'run' | 'turn'): Promise<Offer> {
    const [{ grant, revoked }, own] = await Promise.all([
      this.#kernel.ask('token.read', caller, { capability_token_id }),
      tenantTools(this.#kernel, caller),
    ]);
    const now = this.#now();
    if (revoked) throw new Fault('token.revoked');
    if (grant.expires_at <= now) throw new Fault('token.expired');
    if (grant.not_before > now) throw new Fault('token.not_yet_valid');
    const ours = [...TOOLS.values()].filter(({ tool_id }) => within === 'run' || tool_id !== AGENT_SPAWN.tool_id);
    const offer = { tools: [...ours, ...own.map(({ tool }) => tenantDefinition(tool))], chain: [grant] };
    return offeredTools(offer).some(({ tool_id }) => tool_id === SKILL_READ.tool_id)
      ? { ...offer, skills: await this.#skills(caller) }
      : offer;
  }

  /** What is told of a skill before it is read; only to whom its token lets read it. */
  async #skills(caller: Caller): Promise<OfferedSkill[]> {
    const skills = await allItems((cursor) =>
      this.#kernel.ask('skill.list', caller, { page: { cursor, limit: LIMITS.skills.max } }),
    );
    return skills.map(({ name, description }) => ({ name, description }));
  }
}
