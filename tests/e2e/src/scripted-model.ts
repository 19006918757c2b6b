// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveModels, type ModelServer, type Proxy } from '@writ/stack';
import { chatChunk, sse, WireServer, type WireRequest, type WireScript } from '@writ/testing';

/** The key of the model's provider, which must appear nowhere else. */
export const MODEL_KEY = 'sk-of-this-spec-0123456789';

/** One reply of the scripted model, streamed word by word. */
export interface Reply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  /** `silent`: the stream never ends */
  readonly end?: WireScript['end'];
  /** an error in place of a reply */
  readonly fails?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
  /** input tokens in the reply's usage, 100 by default */
  readonly read?: number;
}

function wire({ text = '', calls = [], end = 'whole', fails, read = 100 }: Reply, round: number): WireScript {
  if (fails !== undefined) return { ...fails, chunks: ['{"error":{"message":"not now"}}'], end: 'whole' };
  const words = text.split(/(?<=\s)(?=\S)/).filter((word) => word !== '');
  const requests = calls.map(({ name, args }, index) =>
    chatChunk({
      tool_calls: [
        { index, id: `call_${round}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
      ],
    }),
  );
  const usage = sse({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [],
    usage: { prompt_tokens: read, completion_tokens: 10, total_tokens: read + 10 },
  });
  return {
    chunks: [
      ...words.map((content) => chatChunk({ content })),
      ...requests,
      ...(end === 'whole' ? [chatChunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), usage, sse('[DONE]')] : []),
    ],
    end,
  };
}

type ChatMessage = {
  readonly role: string;
  readonly content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
};
export const messagesIn = ({ body }: WireRequest): ChatMessage[] => body['messages'] as ChatMessage[];
/** The number of the requested reply to the last task, from 0: the same for every orchestrator. */
export const roundOf = (requests: WireRequest): number =>
  messagesIn(requests)
    .slice(messagesIn(requests).findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'assistant').length;
export const taskOf = (requests: WireRequest): string =>
  messagesIn(requests).findLast(({ role }) => role === 'user')?.content ?? '';

/** The same where a summary may have replaced older rounds: the ids of a reply's calls contain its number. */
export function replyNumberOf(requests: WireRequest): number {
  const messages = messagesIn(requests);
  return Math.max(
    messages.filter(({ role }) => role === 'assistant').length,
    ...messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => Number(id.split('_')[1]) + 1)),
  );
}
/** Whether the request is for a summary. */
export const isSummaryRequest = (requests: WireRequest): boolean =>
  messagesIn(requests).at(-1)?.content?.startsWith('Summarise') === true;

/**
 * A model on loopback in a provider's wire format, which replies by task and round. Each reply uses 100 input and 10
 * output tokens by default, for 200 millionths of an EUR.
 */
export class ScriptedModel {
  /** the replies to each task, in order; after the last one, and for other tasks, the reply is `done` */
  readonly scripts = new Map<string, readonly Reply[]>();
  readonly #server: WireServer;
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-models-'));
  #served: Proxy | undefined;
  /** called before each reply, which waits for the result */
  onRequest: (requests: WireRequest) => unknown = () => undefined;
  /** the script and the number of the requested reply, from 0; a spec with summaries finds them in another way */
  place: (requests: WireRequest) => readonly [script: string, round: number] = (asked) => [
    taskOf(asked),
    roundOf(asked),
  ];

  private constructor(server: WireServer) {
    this.#server = server;
  }

  /** @param server for a model of the shared stack; absent where a stack reads `file` */
  static async open(server?: ModelServer): Promise<ScriptedModel> {
    const model = new ScriptedModel(await new WireServer().open());
    model.#server.script = async (requests) => {
      await model.onRequest(requests);
      const [script, round] = model.place(requests);
      return wire(model.scripts.get(script)?.[round] ?? { text: 'done' }, round);
    };
    const common = {
      provider: 'openai',
      model: 'm-1',
      base_url: `${model.#server.url}/v1`,
      key_file: 'key',
      prices: { input: 1_000_000, cached: 1_000_000, output: 10_000_000 },
      currency: 'EUR',
    };
    writeFileSync(join(model.#folder, 'key'), MODEL_KEY);
    writeFileSync(
      model.file,
      JSON.stringify({
        models: [
          { ...common, name: 'wire' },
          { ...common, name: 'forgetful', context_tokens_max: 1_000 },
        ],
      }),
    );
    if (server !== undefined) model.#served = await serveModels(server, model.#server.url);
    return model;
  }

  /** For WRIT_MODELS_FILE: `wire`, and `forgetful`, whose older rounds are summarised above 1,000 tokens. */
  get file(): string {
    return join(this.#folder, 'models.json');
  }

  get requests(): readonly WireRequest[] {
    return this.#server.requests;
  }

  async close(): Promise<void> {
    await this.#served?.close();
    await this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
