// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ImageError } from '@writ/sandbox/images';
import Docker from 'dockerode';
import { DockerImages } from './docker-images.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

/** The error of a fetch from an engine that has no image, and that handles the fetch so. */
async function errorWhere(fetch: (response: ServerResponse) => void): Promise<unknown> {
  const engine = createServer((request, response) => {
    if (request.method === 'POST') return fetch(response);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"no such image"}');
  }).listen(0, '127.0.0.1');
  await once(engine, 'listening');
  const { port } = engine.address() as AddressInfo;
  const images = new DockerImages({
    docker: new Docker({ protocol: 'http', host: '127.0.0.1', port }),
    sandboxImage: DIGEST,
    bounds: { bytesMax: 1_000_000, wallMs: 10_000 },
    labels: {},
  });
  const source = { reference: `registry.example/tools@${DIGEST}` };
  try {
    return await images.runnable({ tenantId: 'tnt_1', source }, DIGEST, AbortSignal.timeout(10_000)).then(
      () => null,
      (error: unknown) => error,
    );
  } finally {
    engine.closeAllConnections();
    engine.close();
  }
}

describe('an image that is fetched', () => {
  it.each([
    ['refuses it', (response: ServerResponse) => response.writeHead(404).end('{"message":"manifest unknown"}')],
    ['fails midway', (response: ServerResponse) => response.writeHead(200).end('{"error":"manifest unknown"}\n')],
  ])('is refused for good where the registry %s', async (_, fetch) => {
    const error = await errorWhere(fetch);
    expect(error).toBeInstanceOf(ImageError);
    expect(String(error)).toContain('manifest unknown');
  });

  it.each([
    ['before it answers', (response: ServerResponse) => response.socket?.destroy()],
    [
      'while it answers',
      (response: ServerResponse) => response.writeHead(200).write('{"status":"Pulling"}\n', () => response.destroy()),
    ],
  ])('is not blamed where the engine ends %s', async (_, fetch) => {
    const error = await errorWhere(fetch);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ImageError);
  });
});
