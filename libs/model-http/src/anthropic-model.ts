// SPDX-License-Identifier: Apache-2.0
import Anthropic from '@anthropic-ai/sdk';
import {
  Model,
  ModelError,
  type Conversation,
  type Message,
  type ModelCall,
  type ModelDelta,
  type ModelFault,
  type ModelTurn,
} from '@writ/agent-loop';
import { nativeNameOf, toolIdOf } from '@writ/dialects';
import {
  IDLE_MS,
  interrupted,
  readArguments,
  REPLY_TOKENS_MAX,
  statusFault,
  transportFault,
  withTimeout,
  type ProviderOptions,
} from './provider.ts';

const PROVIDER = 'anthropic';
type Param = { role: 'user' | 'assistant'; content: Anthropic.ContentBlockParam[] };

/** A model behind Anthropic's Messages API. */
export class AnthropicModel extends Model {
  readonly name: string;
  readonly #client: Anthropic;
  readonly #options: ProviderOptions;

  constructor(options: ProviderOptions) {
    super();
    this.name = options.model;
    this.#options = options;
    // The loop retries and reports it; the library would retry silently.
    this.#client = new Anthropic({
      apiKey: options.apiKey,
      authToken: null,
      maxRetries: 0,
      logLevel: 'off',
      ...(options.baseUrl ? { baseURL: options.baseUrl } : {}),
    });
  }

  override async *reply(
    { system, messages, tools }: Conversation,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const { model, idleMs = IDLE_MS, replyTokensMax = REPLY_TOKENS_MAX } = this.#options;
    const request = {
      model,
      max_tokens: replyTokensMax,
      stream: true,
      messages: paramsOf(messages),
      // Tools and system prompt are the same in every round, so the provider caches them after the first.
      ...(system === ''
        ? {}
        : { system: [{ type: 'text' as const, text: system, cache_control: { type: 'ephemeral' as const } }] }),
      tools: tools.map(({ tool_id, description, parameters }) => ({
        name: nativeNameOf(tool_id),
        description,
        input_schema: parameters as Anthropic.Tool.InputSchema,
      })),
    } as const;
    const reply = new Reply();
    for await (const event of withTimeout((both) => this.#client.messages.create(request, { signal: both }), {
      idleMs,
      signal,
      faultOf,
    }))
      yield* reply.addEvent(event);
    return reply.turn();
  }
}

type Block = Anthropic.ContentBlock & { pieces?: unknown[] };

/** A reply that is assembled from its events. */
class Reply {
  readonly #blocks: Block[] = [];
  #stop: Anthropic.StopReason | null = null;
  #isComplete = false;
  #usage = { input_tokens: 0, cached_tokens: 0, output_tokens: 0 };

  *addEvent(event: Anthropic.RawMessageStreamEvent): Generator<ModelDelta> {
    switch (event.type) {
      case 'message_start':
        this.#recordUsage(event.message.usage);
        return;
      case 'content_block_start':
        this.#blocks[event.index] = structuredClone(event.content_block);
        return;
      case 'content_block_delta':
        yield* this.#extend(event);
        return;
      case 'content_block_stop':
        yield* this.#finish(this.#blocks[event.index]);
        return;
      case 'message_delta':
        this.#stop = event.delta.stop_reason;
        this.#recordUsage(event.usage);
        return;
      case 'message_stop':
        this.#isComplete = true;
    }
  }

  *#extend({ index, delta }: Anthropic.RawContentBlockDeltaEvent): Generator<ModelDelta> {
    const block = this.#blocks[index];
    if (block === undefined) throw new ModelError('malformed', `a piece of block ${index} came before the block`);
    if (delta.type === 'text_delta' && block.type === 'text') {
      block.text += delta.text;
      yield { kind: 'text', text: delta.text };
    } else if (delta.type === 'input_json_delta') (block.pieces ??= []).push(delta.partial_json);
    else if (delta.type === 'thinking_delta' && block.type === 'thinking') block.thinking += delta.thinking;
    else if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature = delta.signature;
  }

  *#finish(block: Block | undefined): Generator<ModelDelta> {
    if (block?.type === 'tool_use') yield { kind: 'call', call: this.#callOf(block) };
  }

  /** For arguments in pieces, a block starts with an empty object. Other servers send all arguments there. */
  #callOf({ id, name, input, pieces = [] }: Anthropic.ToolUseBlock & { pieces?: unknown[] }): ModelCall {
    return {
      id,
      tool_id: toolIdOf(name),
      ...readArguments(JSON.stringify(input) === '{}' ? pieces : [input, ...pieces]),
    };
  }

  /** Counts come twice: at the start, and complete at the end. */
  #recordUsage(
    usage: Pick<
      Anthropic.MessageDeltaUsage,
      'input_tokens' | 'output_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens'
    >,
  ): void {
    const cached = usage.cache_read_input_tokens ?? 0;
    const input = (usage.input_tokens ?? 0) + cached + (usage.cache_creation_input_tokens ?? 0);
    this.#usage = {
      input_tokens: Math.max(this.#usage.input_tokens, input),
      cached_tokens: Math.max(this.#usage.cached_tokens, cached),
      output_tokens: Math.max(this.#usage.output_tokens, usage.output_tokens),
    };
  }

  turn(): ModelTurn {
    if (!this.#isComplete) throw interrupted();
    const text = this.#blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const base = { text, usage: this.#usage };
    if (this.#stop === 'max_tokens' || this.#stop === 'model_context_window_exceeded')
      return { ...base, calls: [], stop: 'length' };
    if (this.#stop === 'refusal') return { ...base, calls: [], stop: 'refusal' };
    const calls = this.#blocks.flatMap((block) => (block.type === 'tool_use' ? [this.#callOf(block)] : []));
    return { ...base, calls, stop: calls.length > 0 ? 'tool_use' : 'end', ...this.#native(calls) };
  }

  /** Only a reply with thoughts has to be returned unchanged; any other is sent as text and calls. */
  #native(calls: readonly ModelCall[]): Pick<ModelTurn, 'native'> {
    if (!this.#blocks.some(({ type }) => type === 'thinking' || type === 'redacted_thinking')) return {};
    const args = new Map(calls.map((call) => [call.id, call.args]));
    const content = this.#blocks.map(({ pieces: _pieces, ...block }) =>
      block.type === 'tool_use' ? { ...block, input: args.get(block.id) ?? {} } : block,
    );
    return { native: { provider: PROVIDER, content } };
  }
}

/** Errors within a stream have a type and no status. */
const FAULT_OF_TYPE: Readonly<Record<string, ModelFault>> = {
  overloaded_error: 'overloaded',
  rate_limit_error: 'rate_limited',
  api_error: 'unavailable',
  timeout_error: 'timeout',
  authentication_error: 'unauthorized',
  permission_error: 'unauthorized',
  request_too_large: 'context_exceeded',
  invalid_request_error: 'invalid',
};

function faultOf(error: unknown, hasBegun: boolean): ModelError {
  if (!(error instanceof Anthropic.APIError)) return transportFault(error, hasBegun);
  if (typeof error.status === 'number')
    return statusFault(error.status, error.message, error.headers?.get('retry-after'), error);
  if (error instanceof Anthropic.APIConnectionError) return transportFault(error, hasBegun);
  return new ModelError(FAULT_OF_TYPE[error.type ?? ''] ?? 'unavailable', error.message, { cause: error });
}

/** The answers to one turn's calls form one message of the user. */
function paramsOf(messages: readonly Message[]): Param[] {
  const params: Param[] = [];
  for (const message of messages) {
    const last = params.at(-1);
    const { role, content } = paramOf(message);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) params.push({ role, content });
  }
  return params;
}

function paramOf(message: Message): Param {
  if (message.role === 'user' || message.role === 'system')
    return { role: 'user', content: [{ type: 'text', text: message.text }] };
  if (message.role === 'tool') {
    return {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: message.call_id, content: message.text, is_error: message.is_error },
      ],
    };
  }
  if (message.native?.provider === PROVIDER)
    return { role: 'assistant', content: [...(message.native.content as Anthropic.ContentBlockParam[])] };
  const textBlocks: Anthropic.ContentBlockParam[] = message.text === '' ? [] : [{ type: 'text', text: message.text }];
  const toolUseBlocks = message.calls.map(({ id, tool_id, args }): Anthropic.ContentBlockParam => ({
    type: 'tool_use',
    id,
    name: nativeNameOf(tool_id),
    input: args,
  }));
  return { role: 'assistant', content: [...textBlocks, ...toolUseBlocks] };
}
