// SPDX-License-Identifier: Apache-2.0
import { OnnxEmbedder, type OnnxEmbedderOptions } from './onnx-embedder.ts';

const PROGRAM = new URL('./specs/engine-that.ts', import.meta.url);
const open: OnnxEmbedder[] = [];
afterEach(async () => {
  for (const embedder of open.splice(0)) await embedder.close();
});

/** An embedder whose process behaves like that. */
function engineThat(behaviour: string, options: Partial<OnnxEmbedderOptions> = {}): OnnxEmbedder {
  const embedder = new OnnxEmbedder({ modelDir: `/nowhere/${behaviour}`, program: PROGRAM, ...options });
  open.push(embedder);
  return embedder;
}

const pidOf = async (embedder: OnnxEmbedder): Promise<number> => (await embedder.embed(['x']))[0]![0]!;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the process of the local model', () => {
  it('serves calls one after another, without variables of ours, and ends when it is idle', async () => {
    vi.stubEnv('WRIT_SECRET', 'x');
    const embedder = engineThat('works', { idleMs: 300 });
    const [first] = await embedder.embed(['x']);
    expect(first![1]).toBe(0);
    expect(await pidOf(embedder)).toBe(first![0]);
    await vi.waitFor(() => expect(isAlive(first![0]!)).toBe(false), { timeout: 10_000 });
    expect(await pidOf(embedder)).not.toBe(first![0]);
  });

  it.each([
    ['dies-at-once', 'unavailable'],
    ['dies-at-work', 'unavailable'],
    ['hoards', 'unavailable'],
    ['lies', 'malformed'],
    ['says-no-json', 'malformed'],
    ['says-no-numbers', 'malformed'],
  ])('that %s makes a call %s, and the next call starts another', async (behaviour, reason) => {
    const embedder = engineThat(behaviour);
    for (let times = 0; times < 2; times += 1) await expect(embedder.embed(['x'])).rejects.toMatchObject({ reason });
  });

  it('works and is limited where there is no shell, as in the images of the services', async () => {
    const alone = { shell: '/no/shell', memoryBytesMax: 512 * 1024 ** 2 };
    expect(await pidOf(engineThat('works', alone))).toBeGreaterThan(0);
    await expect(engineThat('hoards', alone).embed(['x'])).rejects.toMatchObject({ reason: 'unavailable' });
  });

  it.each(['never-starts', 'is-silent'])('that %s makes a call unavailable after its time limit', async (behaviour) => {
    const embedder = engineThat(behaviour, { sliceMs: 1_500 });
    const failure = { reason: 'unavailable', message: 'the model took too long' };
    await expect(embedder.embed(['x'])).rejects.toMatchObject(failure);
  });

  it('ends with a call that is cancelled, and another serves the next one', async () => {
    const embedder = engineThat('works');
    const pid = await pidOf(embedder);
    const controller = new AbortController();
    const reason = new Error('the caller went away');
    const call = embedder.embed(['x'], { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await pidOf(embedder)).not.toBe(pid);
  });

  it('lets tenants take turns: one with little work overtakes one with much', async () => {
    const embedder = engineThat('works');
    const done: string[] = [];
    const call = (tenantId: string, count: number) =>
      embedder.embed(Array<string>(count).fill('x'), { tenantId }).then(() => done.push(tenantId));
    await Promise.all([call('much', 200), call('little', 8)]);
    expect(done).toEqual(['little', 'much']);
  });

  it('refuses a call of a tenant with too many waiting ones', async () => {
    const embedder = engineThat('works');
    const calls = Array.from({ length: 80 }, () => embedder.embed(['x'], { tenantId: 't' }));
    const ends = await Promise.allSettled(calls);
    const refused = ends.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(80 - 65);
    expect(refused[0]).toMatchObject({ reason: { reason: 'unavailable' } });
  });

  it('says that the model is missing, and how to get it', async () => {
    const embedder = new OnnxEmbedder({ modelDir: '/nowhere' });
    open.push(embedder);
    await expect(embedder.embed(['x'])).rejects.toMatchObject({
      name: 'EmbeddingError',
      reason: 'missing',
      message: expect.stringContaining('npm run embedding-model'),
    });
  });
});
