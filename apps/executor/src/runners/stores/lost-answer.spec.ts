// SPDX-License-Identifier: Apache-2.0
import { bindTool, formatId, VECDB_DELETE, VECDB_QUERY, VECDB_UPSERT, type BoundResource } from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { HashEmbedder } from '@writ/embedding';
import { MemoryInfoStore, memoryStores } from '@writ/info-store';
import { EgressFixture, OUTSIDE_HOSTS } from '../../specs/egress-fixture.ts';
import { BrokerRunner } from '../broker-runner.ts';
import { StoreCalls } from './store-calls.ts';

/** An embedder that stands for the local model. */
class Local extends HashEmbedder {
  override readonly model = 'all-minilm-l6-v2-int8';
}
const settings = {
  backend: { kind: 'chroma', url: 'https://api.outside.example', collection: 'handbook' },
  embedding: { kind: 'local', model: 'all-minilm-l6-v2-int8' },
  label: 'untrusted_content',
};
const STORE: BoundResource = {
  resource_id: formatId('resource', new Uint8Array(16).fill(2)),
  kind: 'info_store',
  name: 'outside',
  owner_agent_id: null,
  settings,
  digest: resourceDigest({ kind: 'info_store', name: 'outside', settings }),
};
const COLLECTION = JSON.stringify({ id: 'c1', dimension: 384, configuration_json: { hnsw: { space: 'cosine' } } });

let world: EgressFixture;
beforeEach(async () => {
  world = await EgressFixture.open();
});
afterEach(() => world.close());

/** Runs a call on a Chroma server that loses the answer to that many-th request; all others are answered. */
async function run(tool: typeof VECDB_UPSERT, args: Record<string, unknown>, lost: number) {
  const { kernel, outside, root } = world;
  outside.answer = (request, response) => {
    if (outside.received.length === lost) request.socket.destroy();
    else response.end(request.method === 'GET' ? COLLECTION : '{}');
  };
  const message = kernel.order(tool.tool_id, args, root, {
    definition: bindTool(tool, [STORE]),
    redemption: { net: OUTSIDE_HOSTS, resources: [STORE] },
  });
  const stores = new StoreCalls(new MemoryInfoStore(memoryStores(() => 0)), new Local(384));
  const runner = new BrokerRunner(kernel.blobs, world.gate(), () => performance.now(), { stores });
  expect(await kernel.executor([runner]).run(message, 'broker')).toBe('reported');
  return { report: kernel.reports.at(-1)!, hasBegun: kernel.requestedVerbs.includes('kernel.effect_started') };
}
const UPSERT = { store: 'outside', documents: [{ document_id: 'tea', text: 'green tea' }] };
const failed = { ended: 'failed', error: { code: 'egress.failed' } };

// The kernel ends a failed call whose effect was announced as ambiguous.
describe('a call on a Chroma server', () => {
  it.each([
    ['the upsert', VECDB_UPSERT, UPSERT, 2],
    ['the delete after the upsert', VECDB_UPSERT, UPSERT, 3],
    ['the delete', VECDB_DELETE, { store: 'outside', document_ids: ['tea'] }, 2],
  ])('that loses the answer to %s has failed after its effect was announced', async (_, tool, args, lost) => {
    const { report, hasBegun } = await run(tool, args, lost);
    expect(report).toMatchObject(failed);
    expect(report.requests.at(-1)).toMatchObject({ method: 'POST', outcome: 'failed' });
    expect(hasBegun).toBe(true);
    expect(world.outside.received).toHaveLength(lost);
  });

  it.each([
    ['finds the collection', VECDB_UPSERT, UPSERT, 1],
    ['searches', VECDB_QUERY, { store: 'outside', text: 'tea' }, 2],
  ])('that loses the answer to what %s has failed, and changed nothing', async (_, tool, args, lost) => {
    const { report, hasBegun } = await run(tool, args, lost);
    expect(report).toMatchObject(failed);
    expect(hasBegun).toBe(false);
  });

  it('sends what it declares: the collection, and addresses below that of all collections', async () => {
    const { report } = await run(VECDB_UPSERT, UPSERT, 0);
    expect(report).toMatchObject({ ended: 'exited', result: { upserts: 1, chunks: 1 } });
    const declared = bindTool(VECDB_UPSERT, [STORE]).requests?.(UPSERT) ?? [];
    for (const { method, target } of report.requests)
      expect(declared.some((one) => one.method === method && target.startsWith(one.url))).toBe(true);
  });
});
