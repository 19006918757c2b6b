// SPDX-License-Identifier: Apache-2.0
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type InputRequiredResult,
  type ListPromptsResult,
} from '@modelcontextprotocol/server';
import { SKILL_READ } from '@writ/contract';
import type { Offers } from '../../calls/kernel/offers.ts';
import { codeOf } from './call-result.ts';
import type { CallContext } from './call-context.ts';
import type { CallTool } from './call-tool.ts';
import type { McpAccess } from './access.ts';
import { shownText } from './shown-text.ts';

/** Skills of one page of the list. */
const PAGE = 50;
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** The tenant's skills as prompts. One is read by a call of `skill.read`, decided and recorded as any other. */
export class McpPrompts {
  readonly #offers: Pick<Offers, 'of'>;
  readonly #calls: Pick<CallTool, 'run'>;

  constructor(offers: Pick<Offers, 'of'>, calls: Pick<CallTool, 'run'>) {
    this.#offers = offers;
    this.#calls = calls;
  }

  /**
   * The skills that the agent is granted, where the token grants reading them: one page, by name. A cursor is the last
   * name of the page before.
   */
  async list({ caller, tokenId }: McpAccess, cursor: string | undefined): Promise<ListPromptsResult> {
    const { skills = [] } = await this.#offers.of(caller, tokenId, { subAgents: false });
    const after = skills.filter(({ name }) => cursor === undefined || name > cursor).sort(byName);
    const page = after.slice(0, PAGE);
    const last = after.length > page.length ? page.at(-1) : undefined;
    return {
      prompts: page.map(({ name, description }) => ({ name, description: shownText(description) })),
      ...(last === undefined ? {} : { nextCursor: last.name }),
    };
  }

  /** @throws ProtocolError where the skill can't be read, with the reason */
  async get(context: CallContext, name: string): Promise<GetPromptResult | InputRequiredResult> {
    const answer = await this.#calls.run(
      { ...context, canTakeTasks: false },
      { name: SKILL_READ.tool_id, arguments: { skill: name } },
    );
    if (isInputRequiredResult(answer)) return answer;
    const structuredContent = answer.structuredContent as Record<string, unknown> | undefined;
    const { content, encoding } = (structuredContent?.['result'] ?? {}) as Record<string, unknown>;
    if (typeof content !== 'string' || encoding !== 'utf8')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the prompt can not be read', {
        ...structuredContent,
        code: codeOf(structuredContent),
      });
    return { messages: [{ role: 'user', content: { type: 'text', text: content } }] };
  }
}
