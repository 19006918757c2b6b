// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

test('`writ tenant create` makes a tenant and shows its key once', async () => {
  const api = await fakeApi(() => ({
    status: 201,
    body: { tenant_id: IDS.tenant, name: 'two', api_key_id: IDS.key, api_key: 'writ_shown_once' },
  }));
  const { exit, out } = await writ(['tenant', 'create', 'two'], { env: api.env });
  await api.close();
  expect(exit).toBe(0);
  expect(out).toContain('writ_shown_once');
  expect(api.requests[0]).toMatchObject({ method: 'POST', url: '/v1/tenants', body: '{"name":"two"}' });
});

describe('a tenant', () => {
  const OPEN = {
    tenant_id: IDS.tenant,
    name: 'two',
    state: 'open',
    created_at: 1_767_225_600_000,
    closed_at: null,
    closed_by: null,
    close_reason: null,
  };
  const CLOSED = {
    ...OPEN,
    state: 'closed',
    closed_at: 1_767_225_601_000,
    closed_by: 'platform',
    close_reason: 'the contract ended',
  };
  const run = async (body: unknown, ...args: string[]) => {
    const api = await fakeApi(() => ({ body }));
    const result = await writ(['tenant', ...args], { env: api.env });
    await api.close();
    return { ...result, request: api.requests[0] };
  };

  test('is listed with its state, and on request only while it is open', async () => {
    const { exit, out, request } = await run({ items: [CLOSED, OPEN], next_cursor: null }, 'list', '--open');
    expect(exit).toBe(0);
    expect(out).toMatch(/two +closed +2026-01-01T00:00:00Z\n.*two +open/);
    expect(request?.url).toMatch(/^\/v1\/tenants\?.*open=true/);
  });

  test('is shown by `writ tenant get`', async () => {
    const { exit, out, request } = await run(OPEN, 'get', IDS.tenant);
    expect([exit, request?.url]).toEqual([0, `/v1/tenants/${IDS.tenant}`]);
    expect(out).toMatch(/state +open/);
    expect(out).not.toContain('reason');
  });

  test('is closed with a reason, and not without one', async () => {
    const { exit, out, request } = await run(CLOSED, 'close', IDS.tenant, '--reason', 'the contract ended');
    expect(exit).toBe(0);
    expect(out).toMatch(/closed +2026-01-01T00:00:01Z by platform/);
    expect(request).toMatchObject({
      method: 'POST',
      url: `/v1/tenants/${IDS.tenant}/close`,
      body: '{"reason":"the contract ended"}',
    });
    expect(await run(CLOSED, 'close', IDS.tenant)).toMatchObject({ exit: 2, request: undefined });
  });
});
