// SPDX-License-Identifier: Apache-2.0
import type { FreezeView } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const ID = 'frz_01kdvq8qfwe9gr4v9m1h7e3x2z';
const FREEZE: FreezeView = {
  freeze_id: ID,
  scope: 'agent',
  id: IDS.agent,
  state: 'standing',
  reason: 'it runs wild',
  placed_by: IDS.key,
  created_at: 1_767_225_600_000,
  expires_at: null,
  lifted_at: null,
  lifted_by: null,
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ method, url }) => ({
    body:
      method === 'GET' && !url.includes(ID)
        ? { items: [FREEZE], next_cursor: null }
        : url.endsWith('/lift')
          ? { ...FREEZE, state: 'lifted', lifted_at: 1_767_225_660_000, lifted_by: IDS.key }
          : FREEZE,
  }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

const run = (...args: string[]) => writ(args, { env: api.env });
const sent = (): unknown => JSON.parse(api.requests.at(-1)?.body ?? 'null');

test.each([
  [['tenant'], { scope: 'tenant' }],
  [['agent', IDS.agent], { scope: 'agent', id: IDS.agent }],
  [['tool', 'shell.run'], { scope: 'tool', id: 'shell.run' }],
  [['all'], { scope: 'all' }],
])('freeze %j sends exactly that scope, without an end', async (what, body) => {
  const { exit, out } = await run('freeze', ...what, '--reason', 'it runs wild');
  expect(exit).toBe(0);
  expect(out).toMatch(/until +it is lifted/);
  expect(api.requests[0]).toMatchObject({ method: 'POST', url: '/v1/freezes' });
  expect(sent()).toEqual({ ...body, reason: 'it runs wild' });
});

test('a freeze with --for sends its end', async () => {
  await run('freeze', 'tenant', '--reason', 'a look', '--for', '30m');
  expect((sent() as { expires_at: number }).expires_at - Date.now()).toBeGreaterThan(29 * 60_000);
});

test.each([
  [['tenant']],
  [['agent', '--reason', 'x']],
  [['tenant', '--reason', 'x', '--for', 'soon']],
  [['nothing', '--reason', 'x']],
])('freeze %j is refused before anything is sent', async (args) => {
  expect((await run('freeze', ...args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});

test('`writ freeze list` shows freezes in force with scope and reason; --all adds ended ones', async () => {
  expect((await run('freeze', 'list')).out).toMatch(new RegExp(`${ID} +agent +${IDS.agent} +standing +it runs wild`));
  expect(api.requests.at(-1)?.url).toContain('standing=true');
  await run('freeze', 'list', '--all');
  expect(api.requests.at(-1)?.url).not.toContain('standing');
  expect((await run('freeze', 'show', ID)).out).toMatch(/why +it runs wild/);
});

test('`writ unfreeze` lifts the named freeze', async () => {
  const { exit, out } = await run('unfreeze', ID);
  expect(exit).toBe(0);
  expect(out).toMatch(/lifted +2026-01-01T00:01:00Z by key_/);
  expect(api.requests[0]).toMatchObject({ method: 'POST', url: `/v1/freezes/${ID}/lift`, body: '{}' });
});
