// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { embedderContract } from './embedder.contract.ts';
import { HashEmbedder } from './hash-embedder.ts';
import { OpenAiEmbedder, type SendEmbeddingRequest } from './openai-embedder.ts';

interface Sent {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number;
}
type Answer = (sent: Sent) => { readonly status: number; readonly body: string };

const hashes = new HashEmbedder(32);

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** A service on this machine. It answers the rows in reverse, as the API allows, and vectors of any length. */
async function startService(answer?: Answer): Promise<{ server: Server; base: string; requests: Sent[] }> {
  const requests: Sent[] = [];
  const server = createServer(async (request, response) => {
    const sent = JSON.parse(await bodyOf(request)) as Sent;
    requests.push(sent);
    const vectors = await hashes.embed(sent.input);
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector].map((each) => each * 7) })).reverse();
    const { status, body } = answer?.(sent) ?? { status: 200, body: JSON.stringify({ data }) };
    response.writeHead(request.url === '/api/v1/embeddings' ? status : 404).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`, requests };
}

const send: SendEmbeddingRequest = async ({ method, url, body, signal }) => {
  const response = await fetch(url, { method, body, signal });
  return { status: response.status, body: await response.text() };
};

embedderContract('an OpenAI-compatible service', async () => {
  const { server, base } = await startService();
  return {
    embedder: new OpenAiEmbedder({ base, send, model: 'm', dimensions: 32 }),
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
});

describe('the embedder of an OpenAI-compatible service', () => {
  async function withService(answer: Answer | undefined, use: (base: string, requests: Sent[]) => Promise<void>) {
    const { server, base, requests } = await startService(answer);
    try {
      await use(base, requests);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  it('sends batches of bounded size, and the dimensions only if the model can shorten its vectors', async () => {
    await withService(undefined, async (base, requests) => {
      const texts = Array.from({ length: 150 }, (_, n) => `text ${n}`);
      await new OpenAiEmbedder({ base, send, model: 'm', dimensions: 32 }).embed(texts);
      await new OpenAiEmbedder({ base, send, model: 'm', dimensions: 32, shortens: true }).embed(['x']);
      expect(requests.map(({ input }) => input.length)).toEqual([64, 64, 22, 1]);
      expect(requests.map(({ dimensions }) => dimensions)).toEqual([undefined, undefined, undefined, 32]);
    });
  });

  it.each([
    ['unavailable', 503, ''],
    ['unavailable', 429, ''],
    ['refused', 401, ''],
    ['refused', 302, ''],
    ['malformed', 200, 'no json'],
    ['malformed', 200, '{}'],
    ['malformed', 200, '{"data":[]}'],
    ['malformed', 200, '{"data":[{"index":0,"embedding":[1,2]}]}'],
    ['malformed', 200, '{"data":[null]}'],
    ['malformed', 200, `{"data":[{"index":0,"embedding":[${'0,'.repeat(31)}0]}]}`],
    ['malformed', 200, `{"data":[{"index":1,"embedding":[${'1,'.repeat(31)}1]}]}`],
  ])('calls the problem %s after status %s and the body `%s`', async (reason, status, body) => {
    await withService(
      () => ({ status, body }),
      async (base) => {
        const embedder = new OpenAiEmbedder({ base, send, model: 'm', dimensions: 32 });
        await expect(embedder.embed(['x'])).rejects.toMatchObject({ name: 'EmbeddingError', reason });
      },
    );
  });

  it('calls a service that cannot be reached unavailable', async () => {
    const refuse: SendEmbeddingRequest = () => Promise.reject(new Error('no route'));
    const embedder = new OpenAiEmbedder({ base: 'http://x', send: refuse, model: 'm', dimensions: 32 });
    await expect(embedder.embed(['x'])).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
