// SPDX-License-Identifier: Apache-2.0
import Anthropic from '@anthropic-ai/sdk';
import { Model, type Message, type ModelTurn, type ToolOffer } from '@writ/agent-loop';
import { providerName, toolIdOf } from './tool-names.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  readonly model: string;
  /** The provider's own unless said. */
  readonly baseUrl?: string | undefined;
}

/** Room for a long edit; the loop treats a reply that was cut off as an end. */
const REPLY_TOKENS_MAX = 8_192;

/** A model behind Anthropic's Messages API. */
export class AnthropicModel extends Model {
  readonly name: string;
  readonly #client: Anthropic;
  readonly #model: string;

  constructor({ apiKey, model, baseUrl }: AnthropicOptions) {
    super();
    this.name = model;
    this.#model = model;
    this.#client = new Anthropic({ apiKey, authToken: null, ...(baseUrl ? { baseURL: baseUrl } : {}) });
  }

  override async next({ system, messages, tools }: Parameters<Model['next']>[0], signal: AbortSignal): Promise<ModelTurn> {
    const reply = await this.#client.messages.create({
      model: this.#model, max_tokens: REPLY_TOKENS_MAX, system, messages: messagesOf(messages),
      tools: tools.map(({ tool_id, description, parameters }) => ({
        name: providerName(tool_id), description, input_schema: parameters as Anthropic.Tool.InputSchema,
      })),
    }, { signal });
    return turnOf(reply, tools);
  }
}

function turnOf({ content, stop_reason }: Anthropic.Message, tools: readonly ToolOffer[]): ModelTurn {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const calls = content.flatMap((block) => (block.type === 'tool_use'
    ? [{ id: block.id, tool_id: toolIdOf(block.name, tools), args: block.input as Record<string, unknown> }]
    : []));
  if (stop_reason === 'max_tokens') return { text, calls, stop: 'length' };
  return { text, calls, stop: calls.length > 0 ? 'tool_use' : 'end' };
}

/** The answers to one turn's calls are one message of the user. */
function messagesOf(messages: readonly Message[]): Anthropic.MessageParam[] {
  const params: { role: 'user' | 'assistant'; content: Anthropic.ContentBlockParam[] }[] = [];
  for (const message of messages) {
    const last = params.at(-1);
    const { role, content } = paramOf(message);
    if (last?.role === role) last.content.push(...content);
    else params.push({ role, content });
  }
  return params;
}

function paramOf(message: Message): { role: 'user' | 'assistant'; content: Anthropic.ContentBlockParam[] } {
  if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text }] };
  if (message.role === 'tool') {
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.call_id, content: message.text, is_error: message.is_error }] };
  }
  const said: Anthropic.ContentBlockParam[] = message.text === '' ? [] : [{ type: 'text', text: message.text }];
  const asked = message.calls.map(({ id, tool_id, args }): Anthropic.ContentBlockParam => ({ type: 'tool_use', id, name: providerName(tool_id), input: args }));
  return { role: 'assistant', content: [...said, ...asked] };
}
