// SPDX-License-Identifier: Apache-2.0
import { Model, type Message, type ModelCall, type ModelTurn, type ToolOffer } from '@writ/agent-loop';
import OpenAI from 'openai';
import { providerName, toolIdOf } from './tool-names.ts';

export interface OpenAiOptions {
  readonly apiKey: string;
  readonly model: string;
  /** Of any server that speaks Chat Completions; the provider's own unless said. */
  readonly baseUrl?: string | undefined;
}

type Chat = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** A model behind the Chat Completions API, which many providers and local servers speak. */
export class OpenAiModel extends Model {
  readonly name: string;
  readonly #client: OpenAI;
  readonly #model: string;

  constructor({ apiKey, model, baseUrl }: OpenAiOptions) {
    super();
    this.name = model;
    this.#model = model;
    this.#client = new OpenAI({ apiKey, ...(baseUrl ? { baseURL: baseUrl } : {}) });
  }

  override async next({ system, messages, tools }: Parameters<Model['next']>[0], signal: AbortSignal): Promise<ModelTurn> {
    const { choices } = await this.#client.chat.completions.create({
      model: this.#model,
      messages: [{ role: 'system', content: system }, ...messages.map(messageOf)],
      tools: tools.map(({ tool_id, description, parameters }) => ({
        type: 'function', function: { name: providerName(tool_id), description, parameters: parameters as Record<string, unknown> },
      })),
    }, { signal });
    const [choice] = choices;
    if (choice === undefined) throw new Error('the model gave no reply');
    return turnOf(choice, tools);
  }
}

function turnOf({ message, finish_reason }: OpenAI.Chat.Completions.ChatCompletion.Choice, tools: readonly ToolOffer[]): ModelTurn {
  const text = message.content ?? '';
  // A reply that was cut off may end within the arguments of a call, which then are no JSON.
  if (finish_reason === 'length') return { text, calls: [], stop: 'length' };
  const calls = (message.tool_calls ?? []).flatMap((call): ModelCall[] => (call.type === 'function'
    ? [{ id: call.id, tool_id: toolIdOf(call.function.name, tools), args: argumentsOf(call.function.arguments) }]
    : []));
  return { text, calls, stop: calls.length > 0 ? 'tool_use' : 'end' };
}

/** What is no object is handed on under a name that no tool has: the answer then says that the arguments do not fit. */
function argumentsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  return { unreadable_arguments: text };
}

function messageOf(message: Message): Chat {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call_id, content: message.text };
  const calls = message.calls.map(({ id, tool_id, args }) => (
    { id, type: 'function' as const, function: { name: providerName(tool_id), arguments: JSON.stringify(args) } }));
  return { role: 'assistant', content: message.text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}
