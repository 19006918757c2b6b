// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { HELD, IDS, OPERATION } from '../specs/samples.ts';

const RESOLVED = { ...OPERATION, state: 'ambiguous', resolution: { outcome: 'committed', note: 'the order\u202e is there', resolved_at: 1_767_225_600_000, resolved_by: IDS.key, record_id: IDS.record } };

let api: FakeApi;
let reads: number;
beforeAll(async () => {
  api = await fakeApi(({ url }) => {
    if (url.startsWith('/v1/operations?')) return { body: { items: [OPERATION, HELD], next_cursor: 'c2' } };
    if (url.endsWith('/resolve')) return { body: RESOLVED };
    reads += 1;
    return { body: url.endsWith('/cancel') || reads >= 3 ? OPERATION : HELD };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  reads = 0;
  api.heard.length = 0;
});

test('the list filters, and says how to go on', async () => {
  const { out } = await writ(['operations', 'list', '--state', 'held', '--limit', '2'], { env: api.env });
  expect(api.heard[0]!.url).toBe('/v1/operations?state=held&limit=2');
  expect(out).toContain('more: writ operations list --cursor c2');
});

test('one operation is shown with its reasons', async () => {
  expect((await writ(['operations', 'show', IDS.operation], { env: api.env })).out).toContain('delete.tree');
});

test('watching follows an operation to its end, with one value on stdout', async () => {
  const { out, err } = await writ(['operations', 'watch', IDS.operation, '--json'], { env: api.env });
  expect(JSON.parse(out)).toEqual(OPERATION);
  expect(err.match(/held/g)).toHaveLength(1);
  expect(api.heard.map(({ url }) => url.split('?')[1])).toEqual([undefined, 'wait=30000', 'wait=30000']);
});

test('an id goes into the path as one segment', async () => {
  await writ(['operations', 'cancel', '../api-keys/x'], { env: api.env });
  expect(api.heard[0]!.url).toBe('/v1/operations/..%2Fapi-keys%2Fx/cancel');
});

test('an ambiguous operation is resolved with an outcome and a note, and both are shown', async () => {
  const { out, exit } = await writ(['operations', 'resolve', IDS.operation, '--outcome', 'committed', '--note', 'the order is there'], { env: api.env });
  expect(exit).toBe(0);
  expect(api.heard[0]).toMatchObject({ method: 'POST', url: `/v1/operations/${IDS.operation}/resolve`, body: '{"outcome":"committed","note":"the order is there"}' });
  expect(out).toContain('committed: the order\\u{202e} is there');
  expect((await writ(['operations', 'resolve', IDS.operation, '--outcome', 'committed'], { env: api.env })).exit).toBe(2);
});

test('what nobody has resolved is a list of its own', async () => {
  await writ(['operations', 'list', '--unresolved'], { env: api.env });
  expect(api.heard[0]!.url).toBe('/v1/operations?unresolved=true&limit=50');
});
