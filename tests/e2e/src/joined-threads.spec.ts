// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { freshService, repositoryRoot } from '@writ/testing';
import { poolSizes, WorkerPool } from '@writ/worker-pool';

// A missing thread changes only the answer: OpenSSL verifies instead, or a page can't be read. So only a test that
// starts the thread notices that it is missing.

/** The first answer of a thread's program next to a service's bundle; rejects where there is none. */
async function answerOf(
  service: string,
  program: string,
  options: WorkerOptions,
  question?: unknown,
): Promise<unknown> {
  const worker = new Worker(join(dirname(freshService(repositoryRoot(), service)), program), {
    ...options,
    execArgv: [],
    env: {},
  });
  try {
    if (question !== undefined) worker.postMessage(question);
    const [answer] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(() => {
        throw new Error('it ended without an answer');
      }),
    ])) as [unknown];
    return answer;
  } finally {
    await worker.terminate();
  }
}

const serviceOf = (service: string): string =>
  readFileSync(join(dirname(freshService(repositoryRoot(), service)), 'service.js'), 'utf8');

const sodium = ((): string | null => {
  try {
    const require = createRequire(import.meta.url);
    require('sodium-native');
    return require.resolve('sodium-native');
  } catch {
    return null;
  }
})();

(sodium === null ? describe.skip : describe)('the thread that verifies signatures (where libsodium loads)', () => {
  it.each(['ledger', 'kernel', 'executor', 'orchestrator'])(
    'starts next to the bundle of the %s, under the name in the bundle',
    async (service) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const key = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url');
      const texts = ['good', 'bad'].map((text) => Buffer.from(text));
      // The format of libs/signing: key, signature and message, one after the other.
      const memory = new Uint8Array(
        Buffer.concat(texts.flatMap((text) => [key, sign(null, Buffer.from('good'), privateKey), text])),
      );
      const question = { memory, lengths: Uint32Array.from(texts, ({ length }) => length) };
      expect([
        ...((await answerOf(service, 'sodium-thread.js', { workerData: sodium }, question)) as Uint8Array),
      ]).toEqual([1, 0]);
      expect(serviceOf(service)).toContain('new URL(`./sodium-thread${');
    },
  );
});

it.each(['kernel', 'executor', 'orchestrator'])(
  'the worker program of the %s is next to its bundle, and rejects an unknown task',
  async (service) => {
    const pool = new WorkerPool<Record<string, (input: object) => unknown>>({
      ...poolSizes(),
      filename: pathToFileURL(join(dirname(freshService(repositoryRoot(), service)), `${service}.worker.js`)),
    });
    try {
      await expect(pool.run('none.such', {}, { tenantId: 'a', wallMs: 60_000 })).rejects.toThrow(
        'the worker program has no task `none.such`',
      );
    } finally {
      await pool.close();
    }
    expect(serviceOf(service)).toContain(`workerProgram("${service}.worker"`);
  },
);

it('the worker program of the kernel parses commands next to its bundle', async () => {
  const pool = new WorkerPool<Record<string, (input: object) => unknown>>({
    ...poolSizes(),
    filename: pathToFileURL(join(dirname(freshService(repositoryRoot(), 'kernel')), 'kernel.worker.js')),
  });
  const call = {
    tool: { tool_id: 'shell.run', category: 'write' },
    texts: { command: 'rm -rf src' },
    resources: [],
    placesSecrets: true,
    history: { labels: [] },
  };
  try {
    expect(await pool.run('call.read', call, { tenantId: 'a', wallMs: 60_000 })).toMatchObject({
      ok: true,
      risk: { risk_basis: expect.arrayContaining(['delete.tree']) as unknown },
    });
  } finally {
    await pool.close();
  }
});

it("the thread that reads web pages starts next to the executor's bundle", async () => {
  const html = '<title>A page</title><p>What it says.</p><script>not this</script>';
  expect(await answerOf('executor', 'page-reader.js', { workerData: { html, url: 'https://example.com/' } })).toEqual({
    title: 'A page',
    text: 'What it says.',
  });
  expect(serviceOf('executor')).toContain('new URL(`./page-reader.${');
});
