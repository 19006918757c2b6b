// SPDX-License-Identifier: Apache-2.0
import {
  bindTool,
  Fault,
  formatId,
  storeSettingsOf,
  VECDB_DELETE,
  VECDB_QUERY,
  VECDB_UPSERT,
  type BoundResource,
  type TenantId,
} from '@writ/contract';
import { EmbeddingError, HashEmbedder, type Embedder } from '@writ/embedding';
import { chunksOf, MemoryInfoStore, MemoryInfoStorePublisher, memoryStores } from '@writ/info-store';
import { ChromaError } from '@writ/info-store-chroma';
import type { Call } from '../../calls/runner.ts';
import type { CallGate } from '../../egress/call-gate.ts';
import { GateRefusal } from '../../egress/gate-refusal.ts';
import { registerStore } from './register-store.ts';
import { StoreCalls } from './store-calls.ts';
import { storeFailureOf } from './store-failure.ts';
import { sendToStore } from './store-request.ts';

const TENANT = formatId('tenant', new Uint8Array(16).fill(1)) as TenantId;
const STORE = `res_${'0'.repeat(26)}`;
const NO_GATE = {
  admit: () => Promise.reject(new GateRefusal('egress.refused', 'the token names no host')),
} as unknown as CallGate;

/** An embedder of the length of the local model. */
class Local extends HashEmbedder {
  override readonly model = 'all-minilm-l6-v2-int8';
}
const local: Embedder = new Local(384);

function scene(embedder: Embedder | null, settings: object = {}) {
  const of = memoryStores(() => Date.now());
  const publisher = new MemoryInfoStorePublisher(of);
  const calls = new StoreCalls(new MemoryInfoStore(of), embedder);
  const resource = {
    resource_id: STORE,
    kind: 'info_store',
    name: 'notes',
    owner_agent_id: null,
    settings: { ...storeSettingsOf({}), ...settings },
    digest: '0'.repeat(64),
  } as BoundResource;
  const threads: string[] = [];
  const work = {
    run: (task: string, { text, options }: { text: string; options: never }) => {
      threads.push(task);
      return Promise.resolve(chunksOf(text, options));
    },
  };
  const run = (toolId: string, args: Record<string, unknown>) =>
    calls.run(
      {
        tenantId: TENANT,
        operationId: 'op_1',
        toolId,
        args,
        resources: [resource],
        resourceSecrets: {},
        limits: bindTool(VECDB_UPSERT, [resource]).limits,
      } as unknown as Call,
      NO_GATE,
      { signal: new AbortController().signal, work: work as never },
    );
  return { publisher, run, threads };
}
const DOCUMENTS = [
  { document_id: 'tea', text: 'green tea' },
  { document_id: 'coffee', text: 'black coffee' },
];

describe('a call on a local store', () => {
  it('stages its change, which is found once it is published', async () => {
    const { publisher, run } = scene(local);
    await publisher.register(TENANT, { store_id: STORE, language: 'simple', embedding: local });
    const put = await run(VECDB_UPSERT.tool_id, { store: 'notes', documents: DOCUMENTS });
    const { digest, ...counts } = put.result as Record<string, unknown>;
    expect(counts).toEqual({ store: { resource_id: STORE, name: 'notes' }, upserts: 2, deletes: 0, chunks: 2 });
    expect(put.writtenBytes).toBe('green tea'.length + 'black coffee'.length + 2 * 384 * 4);
    const query = { store: 'notes', text: 'green tea' };
    expect((await run(VECDB_QUERY.tool_id, query)).result).toMatchObject({ mode: 'hybrid', hits: [], notice: null });
    const change = put.storeChange?.change_id ?? '';
    await publisher.publish(TENANT, { operationId: 'op_1', changeId: change, digest: String(digest) });
    expect((await run(VECDB_QUERY.tool_id, { ...query, k: 1 })).result).toMatchObject({
      version: 1,
      hits: [{ document_id: 'tea', label: 'untrusted_content' }],
    });
    const gone = await run(VECDB_DELETE.tool_id, { store: 'notes', document_ids: ['tea'] });
    expect(gone.result).toMatchObject({ upserts: 0, deletes: 1, chunks: 0 });
  });

  it('gives up its change where its call did not commit', async () => {
    const { publisher, run } = scene(local);
    await publisher.register(TENANT, { store_id: STORE, language: 'simple', embedding: local });
    const put = await run(VECDB_UPSERT.tool_id, { store: 'notes', documents: DOCUMENTS });
    await put.settle?.({ v: 1, state: 'rolled_back', tx_outcome: 'rolled_back' });
    const request = { operationId: 'op_1', changeId: put.storeChange?.change_id ?? '' };
    const { digest } = put.result as { digest: string };
    await expect(publisher.publish(TENANT, { ...request, digest })).rejects.toMatchObject({ reason: 'change_unknown' });
  });

  it('splits long texts in a thread', async () => {
    const { publisher, run, threads } = scene(null, { embedding: undefined });
    await publisher.register(TENANT, { store_id: STORE, language: 'simple', embedding: null });
    await run(VECDB_UPSERT.tool_id, {
      store: 'notes',
      documents: [{ document_id: 'a', text: 'word '.repeat(10_000) }],
    });
    expect(threads).toEqual(['store.chunk']);
  });

  it('whose model is missing finds words, says so, and refuses to change what needs vectors', async () => {
    const { publisher, run } = scene(null);
    await publisher.register(TENANT, { store_id: STORE, language: 'simple', embedding: local });
    expect((await run(VECDB_QUERY.tool_id, { store: 'notes', text: 'tea' })).result).toMatchObject({
      mode: 'text',
      notice: expect.stringContaining('npm run embedding-model') as string,
    });
    const missing = await run(VECDB_UPSERT.tool_id, { store: 'notes', documents: DOCUMENTS }).catch((e: unknown) => e);
    expect(storeFailureOf(missing)).toMatchObject({ code: 'store.unavailable', hint: expect.any(String) as string });
    const asked = run(VECDB_QUERY.tool_id, { store: 'notes', text: 'tea', mode: 'vector' }).catch((e: unknown) => e);
    expect(storeFailureOf(await asked)).toMatchObject({ code: 'store.unavailable' });
  });

  it.each(['unavailable', 'missing'] as const)('whose model is %s finds words and says so', async (reason) => {
    class Gone extends Local {
      override embed = () => Promise.reject(new EmbeddingError(reason, 'it is gone'));
    }
    const { publisher, run } = scene(new Gone(384));
    await publisher.register(TENANT, { store_id: STORE, language: 'simple', embedding: local });
    expect((await run(VECDB_QUERY.tool_id, { store: 'notes', text: 'tea' })).result).toMatchObject({
      mode: 'text',
      notice: expect.stringContaining('by words alone') as string,
    });
    const asked = run(VECDB_QUERY.tool_id, { store: 'notes', text: 'tea', mode: 'hybrid' }).catch((e: unknown) => e);
    expect(storeFailureOf(await asked)).toMatchObject({ code: 'store.unavailable' });
  });

  it('with an embedding of another length fails as a mismatch', async () => {
    const { publisher, run } = scene(local);
    await publisher.register(TENANT, { store_id: STORE, language: 'simple', embedding: local });
    const failed = await run(VECDB_QUERY.tool_id, { store: 'notes', embedding: [1, 0] }).catch((e: unknown) => e);
    expect(storeFailureOf(failed, [{ resource_id: STORE, name: 'notes' }])).toMatchObject({
      code: 'store.mismatch',
      message: expect.stringContaining('the store `notes` has vectors of 384 dimensions') as string,
    });
  });
});

describe('a store that is registered', () => {
  it('needs the model, unless it finds words alone', () => {
    const call = (args: object) => ({ operationId: `op_${'0'.repeat(26)}`, args: args as Record<string, unknown> });
    expect(registerStore(call({ name: 'a' }), false)).toMatchObject({ ok: false, code: 'store.unavailable' });
    expect(registerStore(call({ name: 'a', embedding: 'none' }), false)).toMatchObject({ ok: true });
    expect(registerStore(call({}), true)).toMatchObject({
      ok: true,
      result: { store: { resource_id: STORE, name: `store-${'0'.repeat(10)}` } },
    });
  });
});

describe('a request to a server of a store', () => {
  const request = { method: 'POST', url: 'http://a.example/x', body: '{}', secret: 'KEY', isSafe: true } as const;

  it('sends no secret in clear, and none that is not there', async () => {
    const send = (resourceSecrets: Record<string, string>, url: string) =>
      sendToStore(NO_GATE, { resourceSecrets }, { ...request, url });
    await expect(send({ KEY: 'v' }, 'http://a.example/x')).rejects.toThrow('to everybody on the way');
    await expect(send({}, 'https://a.example/x')).rejects.toMatchObject({ code: 'permit.invalid' });
    await expect(send({ KEY: 'a\nb' }, 'https://a.example/x')).rejects.toThrow("can't stand in a header");
    await expect(send({ KEY: 'v' }, 'https://a.example/x')).rejects.toThrow('the token names no host');
  });

  it('whose secret did not come with the call fails with that fault, whatever the client of the server makes of it', () => {
    const cause = new Fault('permit.invalid', 'the value of the secret did not come');
    expect(storeFailureOf(new ChromaError('unavailable', 'not reached', { cause }))).toEqual({
      code: 'permit.invalid',
      message: 'the value of the secret did not come',
      hint: null,
    });
  });

  it('that the gate refused fails as the gate says it', () => {
    const cause = new GateRefusal('egress.refused', 'no such host', 'a hint');
    expect(storeFailureOf(new EmbeddingError('unavailable', 'not reached', { cause }))).toEqual({
      code: 'egress.refused',
      message: 'no such host',
      hint: 'a hint',
    });
    expect(storeFailureOf(new Error('a bug'))).toBeNull();
  });
});
