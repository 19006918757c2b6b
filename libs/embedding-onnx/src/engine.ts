// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { EmbeddingError, unitVector } from '@writ/embedding';
import type { InferenceSession } from 'onnxruntime-node';
import { HOW_TO_GET_THE_MODEL, LOCAL_MODEL, MODEL_FILES, type ModelFile } from './model-files.ts';

/** Tokens that the model was trained on, with those at the begin and the end. More are cut off. */
const TOKENS_MAX = 256;
/** UTF-16 code units that are split into tokens: more than 256 tokens of words, and linear work for any text. */
const CHARACTERS_MAX = 8_192;

/** The model in memory. */
export interface Engine {
  readonly embed: (text: string) => Promise<Float32Array>;
}

type Runtime = Pick<typeof import('onnxruntime-node'), 'InferenceSession' | 'Tensor'>;

/**
 * Loads the model, on one thread.
 * @throws EmbeddingError `missing` for absent files, for other bytes, and for a runtime that can't be loaded
 */
export async function loadEngine(dir: string): Promise<Engine> {
  // A bundle keeps this import where it is, and so does a machine without the runtime get a message.
  const runtime = await import('onnxruntime-node').catch((cause: unknown) => {
    throw new EmbeddingError('missing', `the runtime of the model can't be loaded: ${String(cause)}`, { cause });
  });
  const [network, json] = [await read(dir, MODEL_FILES.network), await read(dir, MODEL_FILES.tokenizer)];
  const tokenizer = new Tokenizer(JSON.parse(json.toString('utf8')) as object, {});
  const session = await runtime.InferenceSession.create(network, {
    executionProviders: ['cpu'],
    // Threads are the operator's processors, which other work needs.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // It would keep the memory of the longest text.
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  });
  return { embed: (text) => embed(runtime, session, tokenizer, text) };
}

/** One text at a time: padding to the longest of several would change the vectors, and cost more. */
async function embed(
  { Tensor }: Runtime,
  session: InferenceSession,
  tokenizer: Tokenizer,
  text: string,
): Promise<Float32Array> {
  const ids = idsOf(tokenizer, text);
  const shape = [1, ids.length];
  const { last_hidden_state: output } = await session.run({
    input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  });
  const states = output?.data;
  if (!(states instanceof Float32Array) || states.length !== ids.length * LOCAL_MODEL.dimensions)
    throw new EmbeddingError('malformed', 'the model answered no states of its tokens');
  // The mean of the states of all tokens, as the model was trained.
  const sum = new Float64Array(LOCAL_MODEL.dimensions);
  states.forEach((each, n) => {
    const at = n % LOCAL_MODEL.dimensions;
    sum[at] = (sum[at] ?? 0) + each;
  });
  const unit = unitVector(sum);
  if (unit === null) throw new EmbeddingError('malformed', 'the model answered a vector without a direction');
  return unit;
}

function idsOf(tokenizer: Tokenizer, text: string): readonly number[] {
  const { ids } = tokenizer.encode(text.slice(0, CHARACTERS_MAX));
  if (ids.length <= TOKENS_MAX) return ids;
  // The last token says that the text ends.
  return [...ids.slice(0, TOKENS_MAX - 1), ...ids.slice(-1)];
}

async function read(dir: string, { name, sha256 }: ModelFile): Promise<Buffer> {
  const bytes = await readFile(join(dir, name)).catch((cause: unknown) => {
    throw new EmbeddingError('missing', `the file \`${name}\` of the model is missing: ${HOW_TO_GET_THE_MODEL}`, {
      cause,
    });
  });
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
  throw new EmbeddingError('missing', `the file \`${name}\` has other bytes than the model's: ${HOW_TO_GET_THE_MODEL}`);
}
