// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveModels, type ModelServer, type Proxy } from '@writ/stack';
import { chatChunk, sse, WireServer, type WireAsked, type WireScript } from '@writ/testing';

/**
 * One reply. `silent`: it never ends. `fails`: none comes. `read`: tokens that the model says it read, 100 unless said.
 */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  readonly end?: WireScript['end'];
  readonly fails?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
  readonly read?: number;
}

function wire({ text = '', calls = [], end = 'whole', fails, read = 100 }: Said, round: number): WireScript {
  if (fails !== undefined) return { ...fails, chunks: ['{"error":{"message":"not now"}}'], end: 'whole' };
  const asked = calls.map(({ name, args }, index) =>
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
      ...(text === '' ? [] : [chatChunk({ content: text })]),
      ...asked,
      ...(end === 'whole' ? [chatChunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), usage, sse('[DONE]')] : []),
    ],
    end,
  };
}

type Told = {
  readonly role: string;
  readonly content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
};
export const messagesIn = ({ body }: WireAsked): Told[] => body['messages'] as Told[];
/** Which reply of the last task is asked for, from 0: the same whoever asks. */
export const roundOf = (asked: WireAsked): number =>
  messagesIn(asked)
    .slice(messagesIn(asked).findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'assistant').length;
export const taskOf = (asked: WireAsked): string =>
  messagesIn(asked).findLast(({ role }) => role === 'user')?.content ?? '';

/**
 * The same where a summary may have taken the place of the task and of older rounds: a reply's calls bear its number.
 */
export function numberOf(asked: WireAsked): number {
  const messages = messagesIn(asked);
  return Math.max(
    messages.filter(({ role }) => role === 'assistant').length,
    ...messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => Number(id.split('_')[1]) + 1)),
  );
}
/** Whether a summary is asked for. */
export const isToSumUp = (asked: WireAsked): boolean =>
  messagesIn(asked).at(-1)?.content?.startsWith('Summarise') === true;

/**
 * A model on loopback that speaks a provider's wire format and answers by task and round: 100 tokens in, 10 out, 200
 * millionths of an EUR each time.
 */
export class ScriptedModel {
  readonly scripts = new Map<string, readonly Said[]>();
  readonly #server: WireServer;
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-models-'));
  #served: Proxy | undefined;
  /** before a reply, which waits for it */
  onAsked: (asked: WireAsked) => unknown = () => undefined;
  /** which reply of which script, from 0: where a summary takes the place of the task, both are told otherwise */
  place: (asked: WireAsked) => readonly [script: string, round: number] = (asked) => [taskOf(asked), roundOf(asked)];

  private constructor(server: WireServer) {
    this.#server = server;
  }

  /** @param server the spec that serves a model of the shared stack; unset where a stack reads `file` */
  static async open(server?: ModelServer): Promise<ScriptedModel> {
    const model = new ScriptedModel(await new WireServer().open());
    model.#server.script = async (asked) => {
      await model.onAsked(asked);
      const [script, round] = model.place(asked);
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
    writeFileSync(join(model.#folder, 'key'), 'sk-of-this-spec-0123456789');
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

  /**
   * What WRIT_MODELS_FILE is to name: `wire`, and `forgetful`, whose older rounds are summarised above 1,000 tokens.
   */
  get file(): string {
    return join(this.#folder, 'models.json');
  }

  get asked(): readonly WireAsked[] {
    return this.#server.asked;
  }

  async close(): Promise<void> {
    await this.#served?.close();
    await this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
