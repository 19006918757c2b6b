// SPDX-License-Identifier: Apache-2.0
import {
  Model,
  ModelError,
  type Conversation,
  type Message,
  type ModelCall,
  type ModelDelta,
  type ModelTurn,
  type ToolOffer,
} from '@writ/agent-loop';
import { nativeNameOf, toolIdOf } from '@writ/dialects';
import OpenAI from 'openai';
import type {
  ChatCompletionChunk as Chunk,
  ChatCompletionCreateParamsStreaming as Request,
  ChatCompletionMessageParam as Chat,
} from 'openai/resources/chat/completions';
import {
  IDLE_MS,
  interrupted,
  readArguments,
  statusFault,
  transportFault,
  withTimeout,
  type ProviderOptions,
} from './provider.ts';

type ToolCallPart = NonNullable<Chunk['choices'][number]['delta']['tool_calls']>[number];
type Finish = Chunk['choices'][number]['finish_reason'];

/** A model behind the Chat Completions API, which many providers and local servers offer. */
export class OpenAiModel extends Model {
  readonly name: string;
  readonly #client: OpenAI;
  readonly #options: ProviderOptions;

  constructor(options: ProviderOptions) {
    super();
    this.name = options.model;
    this.#options = options;
    // The loop retries and reports it; the library would retry silently.
    this.#client = new OpenAI({
      apiKey: options.apiKey,
      maxRetries: 0,
      logLevel: 'off',
      ...(options.baseUrl ? { baseURL: options.baseUrl } : {}),
    });
  }

  override async *reply(
    { system, messages, tools }: Conversation,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const { model, idleMs = IDLE_MS, replyTokensMax } = this.#options;
    const request: Request = {
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: system }, ...messages.map(messageOf)],
      ...(tools.length > 0 ? { tools: tools.map(functionOf) } : {}),
      // Servers of other makers may not support it.
      ...(replyTokensMax === undefined ? {} : { max_completion_tokens: replyTokensMax }),
    };
    const reply = new Reply();
    for await (const chunk of withTimeout((both) => this.#client.chat.completions.create(request, { signal: both }), {
      idleMs,
      signal,
      faultOf,
    }))
      yield* reply.addChunk(chunk);
    const turn = reply.turn();
    for (const call of turn.calls) yield { kind: 'call', call };
    return turn;
  }
}

/** A reply that is assembled from its chunks. */
class Reply {
  readonly #calls: { id: string; name: string; readonly pieces: unknown[] }[] = [];
  #text = '';
  #finish: Finish = null;
  #usage: Chunk['usage'];
  /** the name in a call of the form before `tool_calls`; null without one */
  #legacyCall: string | null = null;

  *addChunk({ choices, usage }: Chunk): Generator<ModelDelta> {
    this.#usage = usage ?? this.#usage;
    // Some servers omit the list from the chunk with the usage.
    const [choice] = (choices as Chunk['choices'] | undefined) ?? [];
    if (choice === undefined) return;
    const text = choice.delta.content ?? choice.delta.refusal ?? '';
    this.#text += text;
    if (choice.delta.refusal) this.#finish = 'content_filter';
    for (const part of choice.delta.tool_calls ?? []) this.#addCallPart(part);
    this.#addLegacyCall(choice.delta);
    if (this.#finish !== 'content_filter') this.#finish = choice.finish_reason ?? this.#finish;
    if (text !== '') yield { kind: 'text', text };
  }

  #addCallPart({ index, id, function: part }: ToolCallPart): void {
    // Local servers that send each call as a whole may omit the index.
    const at = (index as number | undefined) ?? this.#calls.length;
    const call = (this.#calls[at] ??= { id: id ?? `call_${at}`, name: '', pieces: [] });
    call.name += part?.name ?? '';
    // Servers of other makers send more than the text in the type.
    call.pieces.push(part?.arguments);
  }

  /** Servers of other makers may send null. */
  #addLegacyCall(delta: { readonly function_call?: { readonly name?: string } | null }): void {
    const part = delta.function_call ?? null;
    if (part !== null) this.#legacyCall = (this.#legacyCall ?? '') + (part.name ?? '');
  }

  turn(): ModelTurn {
    if (this.#finish === null) throw interrupted();
    const base = { text: this.#text, ...this.#used() };
    // A truncated reply may end within the arguments of a call.
    if (this.#finish === 'length') return { ...base, calls: [], stop: 'length' };
    if (this.#finish === 'content_filter') return { ...base, calls: [], stop: 'refusal' };
    const calls = this.#calls
      .filter(Boolean)
      .map(({ id, name, pieces }): ModelCall => ({ id, tool_id: toolIdOf(name), ...readArguments(pieces) }));
    const problems = this.#problems(calls.length);
    return {
      ...base,
      calls,
      stop: calls.length > 0 ? 'tool_use' : 'end',
      ...(problems.length === 0 ? {} : { problems }),
    };
  }

  /** Calls that can't be answered, in words for the model. */
  #problems(calls: number): string[] {
    if (this.#legacyCall !== null)
      return [
        `the legacy \`function_call\` of \`${this.#legacyCall.slice(0, 64)}\` is not taken: call tools by \`tool_calls\``,
      ];
    return calls === 0 && (this.#finish === 'tool_calls' || this.#finish === 'function_call')
      ? ['the provider says that you called a tool, and no call came']
      : [];
  }

  #used(): Pick<ModelTurn, 'usage'> {
    const usage = this.#usage;
    if (!usage) return {};
    return {
      usage: {
        input_tokens: usage.prompt_tokens,
        cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
        output_tokens: usage.completion_tokens,
      },
    };
  }
}

function faultOf(error: unknown, hasBegun: boolean): ModelError {
  if (!(error instanceof OpenAI.APIError)) return transportFault(error, hasBegun);
  if (typeof error.status === 'number')
    return statusFault(error.status, error.message, error.headers?.get('retry-after'), error);
  if (error instanceof OpenAI.APIConnectionError) return transportFault(error, hasBegun);
  return new ModelError('unavailable', error.message, { cause: error });
}

const functionOf = ({ tool_id, description, parameters }: ToolOffer) => ({
  type: 'function' as const,
  function: { name: nativeNameOf(tool_id), description, parameters: parameters as Record<string, unknown> },
});

function messageOf(message: Message): Chat {
  if (message.role === 'user' || message.role === 'system') return { role: message.role, content: message.text };
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call_id, content: message.text };
  const calls = message.calls.map(({ id, tool_id, args }) => ({
    id,
    type: 'function' as const,
    function: { name: nativeNameOf(tool_id), arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: message.text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}
