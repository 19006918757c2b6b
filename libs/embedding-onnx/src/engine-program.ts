// SPDX-License-Identifier: Apache-2.0
// The program of the process that computes embeddings. Its argument is the model's folder.
import { EmbeddingError } from '@writ/embedding';
import { loadEngine } from './engine.ts';
import type { EngineReply, EngineRequest } from './engine-messages.ts';

/** Sends a reply, and resolves once it is on its way. */
const send = (reply: EngineReply): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(reply, () => resolve());
  });

async function fail(error: unknown): Promise<never> {
  const isOurs = error instanceof EmbeddingError && (error.reason === 'missing' || error.reason === 'malformed');
  const message = error instanceof Error ? error.message : String(error);
  await send({ type: 'failed', reason: isOurs ? (error.reason as 'missing') : 'malformed', message });
  process.exit(1);
}

try {
  const engine = await loadEngine(process.argv[2] ?? '');
  process.on('message', ({ texts }: EngineRequest) => {
    void (async () => {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await engine.embed(text));
      await send({ type: 'vectors', vectors });
    })().catch(fail);
  });
  // Nobody waits for its answers any more.
  process.on('disconnect', () => process.exit(0));
  await send({ type: 'ready' });
} catch (error) {
  await fail(error);
}
