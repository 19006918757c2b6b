// SPDX-License-Identifier: Apache-2.0
import {
  ApiError,
  FinishReason,
  GoogleGenAI,
  type Content,
  type GenerateContentResponse,
  type Part,
} from '@google/genai';
import {
  Model,
  ModelError,
  type Conversation,
  type Message,
  type ModelCall,
  type ModelDelta,
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

const PROVIDER = 'gemini';
/** The prefix of ids for calls without an id from the provider, which then expects none back. */
const OWN_ID = 'writ_call_';
const IN_THOUGHT = 'it stands in a thought: the call was not run';

/** A model behind the Gemini API's `streamGenerateContent`. */
export class GeminiModel extends Model {
  readonly name: string;
  readonly #options: ProviderOptions;

  constructor(options: ProviderOptions) {
    super();
    this.name = options.model;
    this.#options = options;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const { idleMs = IDLE_MS } = this.#options;
    const reply = new Reply();
    const lastResponse = { retryAfter: null as string | null };
    const faultOf = (error: unknown, hasBegun: boolean): ModelError =>
      faultBehind(error, hasBegun, lastResponse.retryAfter);
    for await (const chunk of withTimeout((both) => this.#request(conversation, lastResponse, both), {
      idleMs,
      signal,
      faultOf,
    }))
      yield* reply.addChunk(chunk);
    return reply.turn();
  }

  #request(
    { system, messages, tools }: Conversation,
    lastResponse: { retryAfter: string | null },
    abortSignal: AbortSignal,
  ): Promise<AsyncIterable<GenerateContentResponse>> {
    const { apiKey, model, baseUrl, replyTokensMax = REPLY_TOKENS_MAX } = this.#options;
    // The library's errors don't include the response's headers.
    const fetchWithHeaders: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      lastResponse.retryAfter = response.headers.get('retry-after');
      return response;
    };
    const client = new GoogleGenAI({
      apiKey,
      httpOptions: { fetch: fetchWithHeaders, ...(baseUrl ? { baseUrl } : {}) },
    });
    return client.models.generateContentStream({
      model,
      contents: contentsOf(messages),
      config: {
        abortSignal,
        maxOutputTokens: replyTokensMax,
        automaticFunctionCalling: { disable: true },
        ...(system === '' ? {} : { systemInstruction: system }),
        ...(tools.length > 0
          ? {
              tools: [
                {
                  functionDeclarations: tools.map(({ tool_id, description, parameters }) => ({
                    name: nativeNameOf(tool_id),
                    description,
                    parametersJsonSchema: parameters,
                  })),
                },
              ],
            }
          : {}),
      },
    });
  }
}

/** Reasons for a stop because of an unreadable call, which the model may send again. */
const CALL_FAULTS: ReadonlySet<FinishReason> = new Set([
  FinishReason.MALFORMED_FUNCTION_CALL,
  FinishReason.UNEXPECTED_TOOL_CALL,
  FinishReason.TOO_MANY_TOOL_CALLS,
]);

/** A reply that is assembled from its chunks. */
class Reply {
  readonly #parts: Part[] = [];
  readonly #calls: ModelCall[] = [];
  #text = '';
  #finish: FinishReason | null = null;
  #isBlocked = false;
  #usage: GenerateContentResponse['usageMetadata'];

  *addChunk({ candidates, promptFeedback, usageMetadata }: GenerateContentResponse): Generator<ModelDelta> {
    this.#usage = usageMetadata ?? this.#usage;
    this.#isBlocked ||= promptFeedback?.blockReason !== undefined;
    const [candidate] = candidates ?? [];
    for (const part of candidate?.content?.parts ?? []) yield* this.#addPart(part);
    this.#finish = candidate?.finishReason ?? this.#finish;
  }

  *#addPart(part: Part): Generator<ModelDelta> {
    this.#parts.push(part);
    if (part.functionCall !== undefined) {
      const { id, name = '', args } = part.functionCall;
      const read = part.thought === true ? { args: {}, problem: IN_THOUGHT } : readArguments([args]);
      const call = { id: id ?? `${OWN_ID}${this.#calls.length}`, tool_id: toolIdOf(name), ...read };
      this.#calls.push(call);
      yield { kind: 'call', call };
    } else if (part.text !== undefined && part.text !== '' && part.thought !== true) {
      this.#text += part.text;
      yield { kind: 'text', text: part.text };
    }
  }

  turn(): ModelTurn {
    const base = { text: this.#text, ...this.#used() };
    if (this.#isBlocked) return { ...base, calls: [], stop: 'refusal' };
    if (this.#finish === null) throw interrupted();
    if (this.#finish === FinishReason.MAX_TOKENS) return { ...base, calls: [], stop: 'length' };
    if (CALL_FAULTS.has(this.#finish))
      return { ...base, calls: [], stop: 'end', problems: [`the provider could not read the call (${this.#finish})`] };
    if (this.#finish !== FinishReason.STOP) return { ...base, calls: [], stop: 'refusal' };
    const native = this.#parts.some(({ thoughtSignature }) => thoughtSignature !== undefined)
      ? { native: { provider: PROVIDER, content: this.#parts } }
      : {};
    return { ...base, calls: this.#calls, stop: this.#calls.length > 0 ? 'tool_use' : 'end', ...native };
  }

  #used(): Pick<ModelTurn, 'usage'> {
    const usage = this.#usage;
    if (usage === undefined) return {};
    return {
      usage: {
        input_tokens: usage.promptTokenCount ?? 0,
        cached_tokens: usage.cachedContentTokenCount ?? 0,
        output_tokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      },
    };
  }
}

/** google.rpc.RetryInfo within the error, in seconds: the API returns the wait there, not in a header. */
const RETRY_INFO = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/;

function faultBehind(error: unknown, hasBegun: boolean, retryAfter: string | null): ModelError {
  if (error instanceof ApiError)
    return statusFault(error.status, error.message, retryAfter ?? RETRY_INFO.exec(error.message)?.[1], error);
  // The library's message for a stream that ends within an event.
  if (error instanceof Error && error.message.startsWith('Incomplete JSON segment')) return interrupted(error);
  return transportFault(error, hasBegun);
}

/** Consecutive messages of one role form one content. */
function contentsOf(messages: readonly Message[]): Content[] {
  const contents: { role: string; parts: Part[] }[] = [];
  for (const message of messages) {
    const last = contents.at(-1);
    const { role, parts } = contentOf(message);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  return contents;
}

const idOf = (id: string): { id?: string } => (id.startsWith(OWN_ID) ? {} : { id });

function contentOf(message: Message): { role: string; parts: Part[] } {
  if (message.role === 'user' || message.role === 'system') return { role: 'user', parts: [{ text: message.text }] };
  if (message.role === 'tool') {
    const response = message.is_error ? { error: message.text } : { output: message.text };
    return {
      role: 'user',
      parts: [{ functionResponse: { ...idOf(message.call_id), name: nativeNameOf(message.tool_id), response } }],
    };
  }
  if (message.native?.provider === PROVIDER) return { role: 'model', parts: [...(message.native.content as Part[])] };
  const textParts: Part[] = message.text === '' ? [] : [{ text: message.text }];
  return {
    role: 'model',
    parts: [
      ...textParts,
      ...message.calls.map(({ id, tool_id, args }): Part => ({
        functionCall: { ...idOf(id), name: nativeNameOf(tool_id), args },
      })),
    ],
  };
}
