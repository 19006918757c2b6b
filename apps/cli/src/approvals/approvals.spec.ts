// SPDX-License-Identifier: Apache-2.0
import { fakeApi, problem, writ, type FakeApi } from '../specs/run-cli.ts';
import { APPROVAL, IDS, OPERATION } from '../specs/samples.ts';

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (method === 'POST') return url.endsWith('/approve') ? problem(403, 'approval.own_call', 'nobody approves their own call') : { body: OPERATION };
    return { body: url.startsWith('/v1/approvals?') ? { items: [APPROVAL], next_cursor: null } : { ...APPROVAL, args: { command: 'rm -rf src\u202e' } } };
  });
});
afterAll(() => api.close());
beforeEach(() => { api.heard.length = 0; });

test('what waits is listed with the reason', async () => {
  const { out } = await writ(['approvals'], { env: api.env });
  expect(out).toContain(IDS.approval);
  expect(out).toContain('would delete `src`');
  expect(api.heard[0]!.url).toBe('/v1/approvals?state=pending&limit=50');
});

test('what would run is shown, with characters that deceive made visible', async () => {
  const { out } = await writ(['approvals', 'show', IDS.approval], { env: api.env });
  expect(out).toContain('rm -rf src\\u{202e}');
});

test('a decision carries its comment', async () => {
  expect((await writ(['approvals', 'deny', IDS.approval, '--comment', 'no'], { env: api.env })).exit).toBe(0);
  expect(api.heard[0]).toMatchObject({ url: `/v1/approvals/${IDS.approval}/deny`, body: '{"comment":"no"}' });
});

test('a yes for the session says so, and how far it goes', async () => {
  await writ(['approvals', 'approve', IDS.approval, '--for-session', '--uses', '5', '--ttl', '30m'], { env: api.env });
  expect(JSON.parse(String(api.heard[0]!.body))).toEqual({ scope: 'session', uses: 5, ttl_ms: 1_800_000 });
  expect(await writ(['approvals', 'approve', IDS.approval, '--uses', '5'], { env: api.env })).toMatchObject({ exit: 2, out: '' });
});

test('nobody approves their own call, and the terminal says so', async () => {
  const { exit, err } = await writ(['approvals', 'approve', IDS.approval], { env: api.env });
  expect(exit).toBe(1);
  expect(err).toMatch(/^error approval\.own_call: nobody approves their own call/);
});

test('--json is the API\'s own answer', async () => {
  expect(JSON.parse((await writ(['approvals', '--json'], { env: api.env })).out)).toEqual({ items: [APPROVAL], next_cursor: null });
});
