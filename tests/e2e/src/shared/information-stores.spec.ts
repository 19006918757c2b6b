// SPDX-License-Identifier: Apache-2.0
// Information stores through the public API: an agent registers one, fills it and searches it, with all or nothing.
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  mustApproveShown,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let token: string;

const tokenWith = async (resources: string[], over: JsonValue = {}): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['*'],
        fs: [],
        net: [],
        secrets: [],
        resources,
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
        ...over,
      },
    })
  ).capability_token_id as string;
const call = async (tool: string, args: JsonValue, over: JsonValue = {}): Promise<JsonValue> =>
  (await world.call(tool, args, { capability_token_id: token, session_id: 'ses-1', ...over })).body;
const grant = async (kind: string, right: string, over: JsonValue = {}): Promise<void> => {
  const { status } = await world.admin.request('PUT', '/v1/resource-grants', {
    kind,
    resource_id: null,
    right,
    agent_id: world.agentId,
    clearance: 'autopilot',
    ...over,
  });
  expect(status).toBe(200);
};
const upsert = (store: string, documents: JsonValue, over: JsonValue = {}) =>
  call('vecdb.upsert', { store, documents }, over);
const find = async (store: string, text: string, args: JsonValue = {}): Promise<string[]> => {
  const answer = await call('vecdb.query', { store, text, ...args });
  expect(answer).toMatchObject({ status: 'ok' });
  return answer.result.hits.map(({ document_id }: JsonValue) => document_id);
};
/** A store of words alone, which the agent makes. */
const newStore = async (name: string, args: JsonValue = {}): Promise<string> => {
  const made = await call('store.register', { name, embedding: 'none', ...args });
  expect(made).toMatchObject({ status: 'ok', tx_outcome: 'committed', result: { store: { name } } });
  return made.result.store.resource_id as string;
};

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  token = await tokenWith(['info_store:*']);
});

it('an agent registers a store once it may, fills it, and finds what is in it', async () => {
  expect(await call('store.register', { name: 'notes' })).toMatchObject({ error: { code: 'policy.denied' } });
  await grant('info_store', 'create');
  const store = await newStore('notes', { text_config: 'english' });
  const put = await upsert('notes', [
    {
      document_id: 'tea',
      text: 'Green tea is brewed at 80 degrees.',
      source: 'https://a.example/tea',
      metadata: { n: 1 },
    },
    { document_id: 'coffee', text: 'Coffee is brewed hotter.', metadata: { n: 2 } },
  ]);
  expect(put).toMatchObject({
    status: 'ok',
    tx_outcome: 'committed',
    result: { store: { resource_id: store, name: 'notes' }, upserts: 2, deletes: 0, chunks: 2 },
  });
  const { record } = await verifiedReceipt(stack, world, put.operation_id as string, 'outcome');
  expect(record).toMatchObject({
    tool_id: 'vecdb.upsert',
    change: { verb: 'store_changed', subject: `info_store:${store}@1`, digest: put.result.digest },
  });
  const answer = await call('vecdb.query', { store, text: 'brewing tea' });
  expect(answer).toMatchObject({
    status: 'ok',
    tx_outcome: 'no_op',
    result: {
      mode: 'text',
      version: 1,
      notice: null,
      hits: [
        {
          document_id: 'tea',
          chunk: 0,
          source: 'https://a.example/tea',
          label: 'untrusted_content',
          text: 'Green tea is brewed at 80 degrees.',
          metadata: { n: 1 },
        },
      ],
    },
  });
  expect(await find('notes', 'brewed', { filters: { field: 'n', gte: 2 } })).toEqual(['coffee']);
  expect(await call('store.register', { name: 'notes' })).toMatchObject({ error: { code: 'resource.exists' } });
});

it('without the model of embeddings, a store of meaning is not registered, and the answer says what to do', async () => {
  const answer = await call('store.register', { name: 'meaning' });
  expect(answer).toMatchObject({ tx_outcome: 'rolled_back', error: { code: 'store.unavailable' } });
  expect(answer.error.hint).toContain('`embedding`: `none`');
  expect((await world.admin.get('/v1/resources?kind=info_store&name=meaning')).body.items).toEqual([]);
});

it('documents are replaced and removed, and the version of the store grows by one with each call', async () => {
  await newStore('versions');
  await upsert('versions', [
    { document_id: 'a', text: 'apples' },
    { document_id: 'b', text: 'apples and pears' },
  ]);
  await upsert('versions', [{ document_id: 'a', text: 'plums' }]);
  expect(await find('versions', 'apples')).toEqual(['b']);
  const removed = await call('vecdb.delete', { store: 'versions', document_ids: ['b', 'never-there'] });
  expect(removed).toMatchObject({ tx_outcome: 'committed', result: { upserts: 0, deletes: 2, chunks: 0 } });
  expect(await find('versions', 'apples')).toEqual([]);
  const { record } = await verifiedReceipt(stack, world, removed.operation_id as string, 'outcome');
  expect(record.change?.subject).toMatch(/@3$/);
});

it('changes of one store that are made at once all commit, each as a version of its own', async () => {
  await newStore('busy');
  const ids = Array.from({ length: 6 }, (_, n) => `d${String(n)}`);
  const answers = await Promise.all(
    ids.map((document_id) => upsert('busy', [{ document_id, text: `word ${document_id}` }])),
  );
  expect(answers.map(({ tx_outcome }) => tx_outcome)).toEqual(ids.map(() => 'committed'));
  expect((await find('busy', 'word', { k: 20 })).sort()).toEqual(ids);
  const records = await Promise.all(
    answers.map(({ operation_id }) => verifiedReceipt(stack, world, operation_id as string, 'outcome')),
  );
  const versions = records.map(({ record }) => Number(record.change?.subject.split('@')[1])).sort();
  expect(versions).toEqual([1, 2, 3, 4, 5, 6]);
});

it('the same call twice changes a store once', async () => {
  await newStore('once');
  const key = { idempotency_key: 'put-once' };
  const first = await upsert('once', [{ document_id: 'a', text: 'one' }], key);
  const again = await upsert('once', [{ document_id: 'a', text: 'one' }], key);
  expect(again.operation_id).toBe(first.operation_id);
  expect((await call('vecdb.query', { store: 'once', text: 'one' })).result.version).toBe(1);
});

it.each([
  [
    {
      documents: [
        { document_id: 'a', text: 'x' },
        { document_id: 'a', text: 'y' },
      ],
    },
    'twice',
  ],
  [{ documents: [{ document_id: 'a', text: 'x', metadata: { 'no spaces': 1 } }] }, '/documents/0/metadata'],
  [{ documents: [{ document_id: 'tab\tid', text: 'x' }] }, '/documents/0/document_id'],
])('arguments that no store takes are refused where they are wrong: %j', async (args, said) => {
  const answer = await call('vecdb.upsert', { store: 'notes', ...args });
  expect(answer).toMatchObject({ error: { code: 'args.invalid' } });
  expect(answer.error.message).toContain(said);
});

it('a filter, a mode without its words, and a language that no store has are refused', async () => {
  for (const args of [{ filters: { field: 'n', like: 'a%' }, text: 'x' }, { mode: 'text', embedding: [1] }, {}])
    expect(await call('vecdb.query', { store: 'notes', ...args })).toMatchObject({ error: { code: 'args.invalid' } });
  expect(await call('store.register', { text_config: 'klingon' })).toMatchObject({ error: { code: 'args.invalid' } });
  expect(await call('vecdb.query', { store: 'notes', mode: 'vector', text: 'x' })).toMatchObject({
    error: { code: 'store.mismatch' },
  });
});

it('a store is used only by agents that are granted it, under a token that lists it', async () => {
  const other = await world.admin.must('/v1/resources', {
    kind: 'info_store',
    name: 'private',
    settings: { backend: { kind: 'local' }, label: 'private_data' },
  });
  expect(await call('vecdb.query', { store: 'private', text: 'x' })).toMatchObject({
    error: { code: 'resource.unknown' },
  });
  await grant('info_store', 'use', { resource_id: other.resource_id });
  // Another session, since the contents of the store count as private data.
  const session = { session_id: 'ses-private' };
  expect(await call('vecdb.query', { store: 'private', text: 'x' }, session)).toMatchObject({ status: 'ok' });
  const narrow = await tokenWith(['info_store:notes']);
  expect(
    await call('vecdb.query', { store: 'private', text: 'x' }, { ...session, capability_token_id: narrow }),
  ).toMatchObject({ error: { code: 'token.scope' } });
});

it('a search of private data holds no later search of the same session', async () => {
  await newStore('payroll', { label: 'private_data' });
  const session = { session_id: 'ses-private' };
  await upsert('payroll', [{ document_id: 'pay', text: 'the payroll of May' }], session);
  for (const _ of [1, 2])
    expect(await call('vecdb.query', { store: 'payroll', text: 'payroll' }, session)).toMatchObject({
      status: 'ok',
      result: { hits: [{ document_id: 'pay', label: 'private_data' }] },
    });
});

it('a held change shows nothing before a person approves it, and is seen by its documents', async () => {
  await newStore('held');
  const listed = (await world.admin.get('/v1/resources?kind=info_store&name=held')).body.items[0];
  await grant('info_store', 'use', { resource_id: listed.resource_id, clearance: 'soft_gate' });
  const approved = async ({ operation_id, approval_id }: JsonValue, outcome: string): Promise<JsonValue> => {
    await mustApproveShown(world.operator, approval_id);
    return (await world.until(operation_id as string, [outcome])).result as JsonValue;
  };
  // The grant holds searches as well.
  const foundWhenApproved = async (): Promise<string[]> => {
    const { result } = await approved(await call('vecdb.query', { store: 'held', text: 'plans' }), 'no_op');
    return result.hits.map(({ document_id }: JsonValue) => document_id);
  };
  const documents = [{ document_id: 'a', text: 'secret plans' }];
  const held = await upsert('held', documents);
  expect(held).toMatchObject({ state: 'held' });
  const shown = (await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body;
  expect(shown).toMatchObject({ tool_id: 'vecdb.upsert', args: { store: 'held', documents } });
  expect(await foundWhenApproved()).toEqual([]);
  expect(await approved(held, 'committed')).toMatchObject({ result: { upserts: 1 } });
  expect(await foundWhenApproved()).toEqual(['a']);
});

it('a dry run of a change answers with its documents, and shows nothing in the store', async () => {
  await newStore('dry');
  const dry = await upsert('dry', [{ document_id: 'a', text: 'secret plans' }], { dry_run: true });
  expect(dry).toMatchObject({
    result: { upserts: 1, documents: [{ document_id: 'a', bytes: 12, preview: 'secret plans' }] },
  });
  expect(await find('dry', 'plans')).toEqual([]);
});

it('a removed store is gone for calls, and a store of the same name begins without its documents', async () => {
  const store = await newStore('gone');
  await upsert('gone', [{ document_id: 'a', text: 'to be removed' }]);
  expect((await world.admin.request('DELETE', `/v1/resources/${store}`)).status).toBe(200);
  expect(await call('vecdb.query', { store: 'gone', text: 'removed' })).toMatchObject({
    error: { code: 'resource.unknown' },
  });
  expect(await newStore('gone')).not.toBe(store);
  expect(await find('gone', 'removed')).toEqual([]);
});

it('an erasure of the call that put documents removes them, whatever was put since', async () => {
  await newStore('erased');
  const put = await upsert('erased', [
    { document_id: 'a', text: 'personal words' },
    { document_id: 'b', text: 'personal too' },
  ]);
  await upsert('erased', [{ document_id: 'b', text: 'impersonal by now' }]);
  const { status } = await world.admin.post('/v1/erasures', {
    operation_id: put.operation_id,
    reason_code: 'gdpr-art-17',
  });
  expect([200, 202]).toContain(status);
  await eventually('the documents are erased', async () => (await find('erased', 'personal')).length === 0);
  expect(await find('erased', 'impersonal')).toEqual(['b']);
});
