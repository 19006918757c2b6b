// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatChunk, sse, WireServer, type WireAsked, type WireScript } from '@writ/testing';
import { roundOf, taskOf } from './scripted-model.ts';

/** The key that the model is asked with: nobody else may learn it. */
export const MODEL_KEY = 'sk-of-this-spec-0123456789';

/** One reply of the scripted model. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  readonly end?: WireScript['end'];
}

function wire({ text = '', calls = [], end = 'whole' }: Said, round: number): WireScript {
  const words = text.match(/\S+\s*/g) ?? [];
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
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  });
  return {
    chunks: [
      ...words.map((content) => chatChunk({ content })),
      ...asked,
      ...(end === 'whole' ? [chatChunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), usage, sse('[DONE]')] : []),
    ],
    end,
  };
}

/** A model on loopback that speaks a provider's wire format, streams its replies by words, and answers by task. */
export class StreamedModel {
  /** by task */
  readonly scripts = new Map<string, readonly Said[]>();
  /** called before each reply */
  onAsked: (asked: WireAsked) => void = () => undefined;
  readonly #server: WireServer;
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-models-'));

  private constructor(server: WireServer) {
    this.#server = server;
  }

  static async open(): Promise<StreamedModel> {
    const model = new StreamedModel(await new WireServer().open());
    model.#server.script = (asked) => {
      model.onAsked(asked);
      return wire(model.scripts.get(taskOf(asked))?.[roundOf(asked)] ?? { text: 'done' }, roundOf(asked));
    };
    writeFileSync(join(model.#folder, 'key'), MODEL_KEY);
    writeFileSync(
      model.file,
      JSON.stringify({
        models: [
          {
            name: 'wire',
            provider: 'openai',
            model: 'm-1',
            base_url: `${model.#server.url}/v1`,
            key_file: 'key',
            prices: { input: 1_000_000, cached: 1_000_000, output: 10_000_000 },
            currency: 'EUR',
          },
        ],
      }),
    );
    return model;
  }

  /** what WRIT_MODELS_FILE is to name */
  get file(): string {
    return join(this.#folder, 'models.json');
  }

  get asked(): readonly WireAsked[] {
    return this.#server.asked;
  }

  async close(): Promise<void> {
    await this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
