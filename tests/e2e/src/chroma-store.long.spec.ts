// SPDX-License-Identifier: Apache-2.0
// Information stores that need more than the database: a real Chroma server of PyPI, and the local model of embeddings.
// Each part is skipped by name where its packages can't be had.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { hasModel, modelDirIn } from '@writ/embedding-onnx';
import { makeWorld, startStack, verifiedReceipt, type JsonValue, type Stack, type World } from '@writ/stack';
import { freePort, pythonPackage, repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const chroma = await pythonPackage('chromadb', '1.5.9');
const modelDir = modelDirIn(join(repositoryRoot(), '.writ', 'cache'));
const isThere = await hasModel(modelDir);
const PROGRAM = 'import sys, chromadb_rust_bindings; chromadb_rust_bindings.cli(["chroma", "run", *sys.argv[1:]])';

let stack: Stack;
let world: World;
let token: string;
let port: number;

const call = async (tool: string, args: JsonValue, over: JsonValue = {}): Promise<JsonValue> =>
  (await world.call(tool, args, { capability_token_id: token, ...over }, 50_000)).body;
const find = async (store: string, text: string): Promise<JsonValue> => {
  const answer = await call('vecdb.query', { store, text });
  expect(answer).toMatchObject({ status: 'ok' });
  return answer.result;
};

beforeAll(async () => {
  port = await freePort();
  stack = await startStack({
    env: {
      executor: {
        WRIT_RESOURCE_HOSTS: `127.0.0.1:${String(port)}`,
        ...(isThere ? { WRIT_EMBEDDING_MODEL_DIR: modelDir } : {}),
      },
    },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['*'],
        fs: [],
        net: [{ domain: '127.0.0.1', methods: ['GET', 'POST'], ports: [port] }],
        secrets: [],
        resources: ['info_store:*'],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
  for (const right of ['use', 'create'])
    await world.admin.request('PUT', '/v1/resource-grants', {
      kind: 'info_store',
      resource_id: null,
      right,
      agent_id: world.agentId,
      clearance: 'autopilot',
    });
});
afterAll(async () => {
  await stack?.stop();
});

describe.skipIf(!isThere)('with the local model (skipped without `npm run embedding-model`)', () => {
  it('a store that an agent registers finds meaning, and not words alone', async () => {
    expect(await call('store.register', { name: 'help' })).toMatchObject({ tx_outcome: 'committed' });
    const put = await call('vecdb.upsert', {
      store: 'help',
      documents: [
        { document_id: 'login', text: 'I forgot my login credentials' },
        { document_id: 'washing', text: 'The reset button of my washing machine' },
      ],
    });
    expect(put).toMatchObject({ tx_outcome: 'committed', result: { chunks: 2 } });
    const { mode, notice, hits } = await find('help', 'How do I get a new password?');
    expect({ mode, notice, first: hits[0].document_id }).toEqual({ mode: 'hybrid', notice: null, first: 'login' });
  });
});

describe.skipIf(chroma === null || !isThere)('a Chroma server (skipped without python3 and pip, and the model)', () => {
  let server: ChildProcess;
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'chroma-'));
    const args = ['-c', PROGRAM, '--path', data, '--host', '127.0.0.1', '--port', String(port)];
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONPATH: chroma! };
    server = spawn('python3', args, { env, cwd: data, stdio: 'ignore' });
    const base = `http://127.0.0.1:${String(port)}/api/v2`;
    const answers = () =>
      fetch(`${base}/heartbeat`)
        .then(({ ok }) => ok)
        .catch(() => false);
    while (!(await answers()) && server.exitCode === null) await sleep(100);
    const made = await fetch(`${base}/tenants/default_tenant/databases/default_database/collections`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'handbook', configuration: { hnsw: { space: 'cosine' } } }),
    });
    expect(made.status).toBe(200);
    const registered = await world.admin.must('/v1/resources', {
      kind: 'info_store',
      name: 'outside',
      settings: {
        backend: { kind: 'chroma', url: `http://127.0.0.1:${String(port)}`, collection: 'handbook' },
        embedding: { kind: 'local', model: 'all-minilm-l6-v2-int8' },
        label: 'untrusted_content',
      },
    });
    expect(registered).toMatchObject({ name: 'outside' });
  });
  afterAll(async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await gone;
    }
    await rm(data, { recursive: true, force: true });
  });

  it('is filled, searched and emptied through the gate, and the record counts the requests', async () => {
    const put = await call('vecdb.upsert', {
      store: 'outside',
      documents: [
        { document_id: 'tea', text: 'Green tea is a drink of leaves', metadata: { lang: 'en' } },
        { document_id: 'car', text: 'The car needs petrol', metadata: { lang: 'en' } },
      ],
    });
    expect(put).toMatchObject({
      status: 'ok',
      tx_outcome: 'committed',
      result: { digest: null, upserts: 2, chunks: 2 },
    });
    const { record } = await verifiedReceipt(stack, world, put.operation_id as string, 'outcome');
    expect(record.egress_count).toBeGreaterThan(1);
    expect(record.change).toBeNull();
    const found = await find('outside', 'a hot beverage');
    expect(found).toMatchObject({ mode: 'vector', version: null });
    expect(found.hits[0]).toMatchObject({ document_id: 'tea', label: 'untrusted_content', metadata: { lang: 'en' } });
    expect(await call('vecdb.delete', { store: 'outside', document_ids: ['tea'] })).toMatchObject({
      tx_outcome: 'committed',
    });
    expect((await find('outside', 'a hot beverage')).hits.map(({ document_id }: JsonValue) => document_id)).toEqual([
      'car',
    ]);
  });

  it('that is gone fails searches and changes as `egress.failed`', async () => {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
    expect(await call('vecdb.query', { store: 'outside', text: 'x' })).toMatchObject({
      status: 'error',
      error: { code: 'egress.failed' },
    });
    expect(await call('vecdb.delete', { store: 'outside', document_ids: ['car'] })).toMatchObject({
      tx_outcome: 'rolled_back',
      error: { code: 'egress.failed' },
    });
  });
});
