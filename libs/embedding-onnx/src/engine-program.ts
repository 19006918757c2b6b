// SPDX-License-Identifier: Apache-2.0
// The program of the process that computes embeddings. Its argument is the model's folder.
import { EmbeddingError } from '@writ/embedding';
import { requestsOf, sendReply } from '@writ/engine-process';
import { loadEngine } from './engine.ts';
import type { EngineReply, EngineRequest } from './engine-messages.ts';

const send = (reply: EngineReply, bytes?: Uint8Array): void => sendReply(process.stdout, reply, bytes);

function fail(error: unknown): never {
  const isOurs = error instanceof EmbeddingError && (error.reason === 'missing' || error.reason === 'malformed');
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'failed', reason: isOurs ? (error.reason as 'missing') : 'malformed', message });
  process.exit(1);
}

try {
  const engine = await loadEngine(process.argv[2] ?? '');
  send({ type: 'ready' });
  for await (const { text } of requestsOf(process.stdin)) {
    const { texts } = JSON.parse(text) as EngineRequest;
    const vectors: Uint8Array[] = [];
    for (const each of texts) {
      const { buffer, byteOffset, byteLength } = await engine.embed(each);
      vectors.push(new Uint8Array(buffer, byteOffset, byteLength));
    }
    send({ type: 'vectors' }, Buffer.concat(vectors));
  }
} catch (error) {
  fail(error);
}
