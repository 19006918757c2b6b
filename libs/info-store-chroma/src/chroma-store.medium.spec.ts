// SPDX-License-Identifier: Apache-2.0
// A real Chroma server of the package that PyPI has. Skipped by name where it can't be installed.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HashEmbedder } from '@writ/embedding';
import { parseFilter, prepareChange, type Document, type Hit } from '@writ/info-store';
import { freePort, pythonPackage } from '@writ/testing';
import { ChromaStore, type SendChromaRequest } from './index.ts';

const folder = await pythonPackage('chromadb', '1.5.9');
const PROGRAM = 'import sys, chromadb_rust_bindings; chromadb_rust_bindings.cli(["chroma", "run", *sys.argv[1:]])';

const send: SendChromaRequest = async (method, url, body, signal) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body, signal });
  return { status: response.status, body: await response.text() };
};
const answers = (base: string): Promise<boolean> =>
  fetch(`${base}/api/v2/heartbeat`).then(
    ({ ok }) => ok,
    () => false,
  );
const embedder = new HashEmbedder(32);
const documentOf = (document_id: string, text: string, metadata: Document['metadata'] = {}): Document => ({
  document_id,
  text,
  source: `https://example.org/${document_id}`,
  metadata,
});

describe.skipIf(folder === null)('a Chroma server (skipped without python3 and pip)', () => {
  let data: string;
  let server: ChildProcess;
  let base: string;
  let collections = 0;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'chroma-'));
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const args = ['-c', PROGRAM, '--path', data, '--host', '127.0.0.1', '--port', String(port)];
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONPATH: folder! };
    server = spawn('python3', args, { env, cwd: data, stdio: 'ignore' });
    while (!(await answers(base)) && server.exitCode === null) await sleep(100);
    expect(server.exitCode).toBeNull();
  });
  afterAll(async () => {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
    await rm(data, { recursive: true, force: true });
  });

  async function newStore(space = 'cosine'): Promise<ChromaStore> {
    const collection = `collection-${(collections += 1)}`;
    const url = `${base}/api/v2/tenants/default_tenant/databases/default_database/collections`;
    const { status } = await send(
      'POST',
      url,
      JSON.stringify({ name: collection, configuration: { hnsw: { space } } }),
    );
    expect(status).toBe(200);
    return new ChromaStore({ base, collection, embedding: embedder, send });
  }

  const changeOf = (upserts: readonly Document[], deletes: readonly string[] = []) =>
    prepareChange({ store_id: 's', upserts, deletes }, { embedder });

  async function find(store: ChromaStore, text: string, filters?: unknown): Promise<readonly Hit[]> {
    const [embedding] = await embedder.embed([text]);
    const filter = filters === undefined ? {} : { filters: parseFilter(filters) };
    return await store.query({ mode: 'vector', k: 20, embedding, ...filter });
  }
  const idsOf = (hits: readonly Hit[]) => hits.map(({ document_id }) => document_id);

  it.each(['cosine', 'l2', 'ip'])(
    'answers hits with their cosines, best first, in a collection of the space %s',
    async (space) => {
      const store = await newStore(space);
      const documents = [
        documentOf('a', 'green tea', { year: 2020 }),
        documentOf('b', 'green tea leaves'),
        documentOf('c', 'coffee'),
      ];
      expect(await store.apply(await changeOf(documents))).toEqual({ upserts: 3, deletes: 0, chunks: 3 });
      const hits = await find(store, 'green tea');
      expect(idsOf(hits)).toEqual(['a', 'b', 'c']);
      expect(hits[0]!.score).toBeCloseTo(1, 3);
      expect(hits[0]).toMatchObject({
        chunk: 0,
        text: 'green tea',
        source: 'https://example.org/a',
        metadata: { year: 2020 },
      });
      const [query, other] = await embedder.embed(['green tea', 'green tea leaves']);
      expect(hits[1]!.score).toBeCloseTo(
        query!.reduce((sum, each, n) => sum + each * other![n]!, 0),
        3,
      );
    },
  );

  it('replaces a document with all its chunks, removes others, and can be sent twice', async () => {
    const store = await newStore();
    const long = 'many words of a long text. '.repeat(2_000);
    await store.apply(await changeOf([documentOf('a', long), documentOf('b', 'tea')]));
    expect((await find(store, 'many words')).length).toBe(20);
    const change = await changeOf([documentOf('a', 'short')], ['b', 'never there']);
    for (let times = 0; times < 2; times += 1) {
      await store.apply(change);
      expect(idsOf(await find(store, 'tea'))).toEqual(['a']);
    }
  });

  it.each([
    [{ field: 'lang', eq: 'de' }, ['b']],
    [{ field: 'draft', eq: true }, ['c']],
    [{ field: 'lang', in: ['de', 'en', 3] }, ['a', 'b']],
    [{ field: 'year', gte: 2010, lt: 2020 }, ['b']],
    [{ field: 'year', gt: 2010.5 }, ['a']],
    [{ field: 'share', lte: 1 }, ['a']],
    [{ or: [{ field: 'lang', eq: 'de' }, { and: [{ field: 'draft', eq: true }] }] }, ['b', 'c']],
    [{ field: 'nothing', eq: 1 }, []],
  ])('shows what matches the filter %j', async (filter, ids) => {
    const store = await newStore();
    const documents = [
      documentOf('a', 'tea', { lang: 'en', year: 2020, share: 0.5 }),
      documentOf('b', 'tea', { lang: 'de', year: 2010 }),
      documentOf('c', 'tea', { draft: true, share: 1.5 }),
    ];
    await store.apply(await changeOf(documents));
    expect(idsOf(await find(store, 'tea', filter)).sort()).toEqual(ids);
  });

  it('answers records that somebody else wrote as documents of one chunk', async () => {
    const store = await newStore();
    await store.apply(await changeOf([documentOf('a', 'tea')]));
    const url = `${base}/api/v2/tenants/default_tenant/databases/default_database/collections`;
    const { id } = JSON.parse((await send('GET', `${url}/collection-${collections}`, null)).body) as { id: string };
    const [embedding] = await embedder.embed(['coffee']);
    const record = {
      ids: ['theirs'],
      embeddings: [[...embedding!]],
      metadatas: [{ 'a b': 1, ok: 2 }],
      documents: [null],
    };
    await send('POST', `${url}/${id}/add`, JSON.stringify(record));
    const [hit] = await find(store, 'coffee');
    expect(hit).toMatchObject({ document_id: 'theirs', chunk: 0, text: '', source: '', metadata: { ok: 2 } });
  });

  it('refuses a collection that is not there, and one of another model', async () => {
    await (await newStore()).apply(await changeOf([documentOf('a', 'tea')]));
    const missing = new ChromaStore({ base, collection: 'none', embedding: embedder, send });
    await expect(missing.apply(await changeOf([documentOf('a', 'x')]))).rejects.toMatchObject({ reason: 'missing' });
    const other = new HashEmbedder(16);
    const wrong = new ChromaStore({ base, collection: `collection-${collections}`, embedding: other, send });
    const [embedding] = await other.embed(['x']);
    await expect(wrong.query({ mode: 'vector', k: 1, embedding })).rejects.toMatchObject({ reason: 'model_differs' });
  });
});
