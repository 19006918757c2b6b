// SPDX-License-Identifier: Apache-2.0
import { embeddingBase, LOCAL_EMBEDDING, type InfoStoreSettings } from '@writ/contract';
import { OpenAiEmbedder, type Embedder } from '@writ/embedding';
import type { Call, RunContext } from '../../calls/runner.ts';
import type { CallGate } from '../../egress/call-gate.ts';
import { readVectors } from './read-answers.ts';
import { sendToStore } from './store-request.ts';

/** Texts of one request: the answer has their vectors, which a thread parses in milliseconds. */
const TEXTS_PER_REQUEST = 16;

/**
 * The model that computes the vectors of a store; null for a store of words alone, and where this executor doesn't have
 * the model.
 *
 * @param local the model that runs on this machine; null where its files are not there
 */
export function embedderOf(
  { embedding }: InfoStoreSettings,
  local: Embedder | null,
  call: Pick<Call, 'resourceSecrets'>,
  gate: CallGate,
  work: RunContext['work'],
): Embedder | null {
  if (embedding === undefined) return null;
  if (embedding.kind === 'local') return embedding.model === LOCAL_EMBEDDING.model ? local : null;
  const { url, model, dimensions, secret } = embedding;
  return new OpenAiEmbedder({
    base: embeddingBase(url),
    model,
    dimensions,
    batch: TEXTS_PER_REQUEST,
    send: ({ method, url: to, body }) => sendToStore(gate, call, { method, url: to, body, secret, isSafe: true }),
    readVectors: (answer) => readVectors(answer, work),
  });
}
