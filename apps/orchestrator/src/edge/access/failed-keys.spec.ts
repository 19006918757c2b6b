// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { FakeApiKeys } from '../../specs/fake-api-keys.ts';
import { openTestApi, PLATFORM_KEY, problem, type TestApi } from '../../specs/test-api.ts';
import { formatApiKey, hashApiKey } from './api-key-text.ts';
import { Authenticator } from './authenticator.ts';
import { FailedKeys } from './failed-keys.ts';

const MINUTE_MS = 60_000;
const wrong = (n: number): string => formatApiKey(newId('apiKey'), Buffer.alloc(32, n));

describe('an address', () => {
  const tried = (failed: FailedKeys, address: string, times: number): string[] =>
    Array.from({ length: times }, () => {
      try {
        failed.verifyMayRetry(address);
        failed.recordFailure(address);
        return 'tried';
      } catch (error) {
        return (error as { code: string }).code;
      }
    });

  it('may present a limited number of invalid keys per minute, separately from others', () => {
    let now = 5_000;
    const failed = new FailedKeys(2, () => now);
    expect(tried(failed, '192.0.2.1', 3)).toEqual(['tried', 'tried', 'rate.limited']);
    expect(tried(failed, '192.0.2.2', 1)).toEqual(['tried']);
    now += MINUTE_MS - 1;
    expect(tried(failed, '192.0.2.1', 1)).toEqual(['rate.limited']);
    now += 2;
    expect(tried(failed, '192.0.2.1', 3)).toEqual(['tried', 'tried', 'rate.limited']);
  });

  it('learns when it may retry, and further attempts do not delay that', () => {
    let now = 5_000;
    const failed = new FailedKeys(2, () => now);
    tried(failed, '192.0.2.1', 1);
    now += 20_000;
    expect(tried(failed, '192.0.2.1', 3)).toEqual(['tried', 'rate.limited', 'rate.limited']);
    now += 25_000;
    expect(() => failed.verifyMayRetry('192.0.2.1')).toThrow(expect.objectContaining({ afterS: 15 }) as Error);
  });

  it('counts as one in every notation, and together with its IPv6 /64', () => {
    const failed = new FailedKeys(1, () => 0);
    tried(failed, '::ffff:192.0.2.1', 1);
    expect(tried(failed, '192.0.2.1', 1)).toEqual(['rate.limited']);
    tried(failed, '2001:db8:1:2::1', 1);
    expect(tried(failed, '2001:db8:1:2:ffff::9', 1)).toEqual(['rate.limited']);
    expect(tried(failed, '2001:db8:1:3::1', 1)).toEqual(['tried']);
  });
});

describe('an address that presented too many', () => {
  let keys: FakeApiKeys;
  let lookUps: number;
  let now: number;
  let authenticator: Authenticator;
  const good = formatApiKey(newId('apiKey'), Buffer.alloc(32, 1));
  beforeEach(async () => {
    [keys, lookUps, now] = [new FakeApiKeys(), 0, 5_000];
    const present = keys.present.bind(keys);
    keys.present = async (hash) => {
      lookUps += 1;
      return await present(hash);
    };
    await keys.create('ten_a', {
      api_key_id: 'key_a',
      name: 'x',
      role: 'auditor',
      agent_id: null,
      hash: hashApiKey(good),
      created_by: 'spec',
    });
    authenticator = new Authenticator(
      keys,
      Buffer.from(sha256(Buffer.from('platform'))),
      () => now,
      new FailedKeys(3, () => now),
    );
  });
  const identify = (key: string, address = '192.0.2.1') => authenticator.identify(`Bearer ${key}`, address);
  const spend = async () => {
    for (let n = 0; n < 3; n += 1) await expect(identify(wrong(n))).rejects.toMatchObject({ code: 'auth.invalid' });
  };

  it('causes no more look-ups', async () => {
    await spend();
    expect(lookUps).toBe(3);
    for (let n = 0; n < 5; n += 1) await expect(identify(wrong(n))).rejects.toMatchObject({ code: 'rate.limited' });
    expect(lookUps).toBe(3);
  });

  it('can still use keys that were valid there before, and the platform key', async () => {
    await identify(good);
    await spend();
    // Long enough that the cached result for the key has expired, and it must be looked up again.
    now += 30_000;
    expect(await identify(good)).toMatchObject({ api_key_id: 'key_a' });
    expect(await identify('platform')).toBe('platform');
  });

  it('does not affect other addresses', async () => {
    await spend();
    expect(await identify(good, '192.0.2.2')).toMatchObject({ api_key_id: 'key_a' });
  });

  it('can not use a revoked key: it counts as invalid', async () => {
    await identify(good);
    await keys.revoke('ten_a', 'key_a');
    now += 1_000;
    for (let n = 0; n < 3; n += 1) await expect(identify(good)).rejects.toMatchObject({ code: 'auth.invalid' });
    await expect(identify(good)).rejects.toMatchObject({ code: 'rate.limited' });
  });

  it('does not count requests without a key or with a malformed one, which cause no look-up', async () => {
    for (let n = 0; n < 9; n += 1) {
      await expect(authenticator.identify(undefined, '192.0.2.1')).rejects.toMatchObject({ code: 'auth.missing' });
      await expect(identify('guess')).rejects.toMatchObject({ code: 'auth.invalid' });
    }
    expect(await identify(good)).toMatchObject({ api_key_id: 'key_a' });
  });
});

describe('at the API', () => {
  let api: TestApi;
  afterEach(async () => await api.close());
  const guess = async (n: number, headers: Record<string, string> = {}) =>
    await api.ask('GET', '/v1/tools', { key: wrong(n), headers });

  it('too many invalid keys are answered 429 with `Retry-After`, and a valid one still passes', async () => {
    api = await openTestApi({ WRIT_AUTH_FAILURES_PER_MINUTE: 2 });
    const tenant = await api.newTenant();
    expect((await api.ask('GET', '/v1/tools', { key: tenant.admin })).status).toBe(200);
    expect([(await guess(1)).status, (await guess(2)).status]).toEqual([401, 401]);
    const refused = await guess(3);
    expect(refused.json).toEqual(problem('rate.limited', 429));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
    expect((await api.ask('GET', '/v1/tools', { key: tenant.admin })).status).toBe(200);
    expect((await api.ask('POST', '/v1/tenants', { key: PLATFORM_KEY, body: { name: 'x' } })).status).toBe(201);
  });

  it('a forwarded address is used only from a trusted proxy', async () => {
    api = await openTestApi({ WRIT_AUTH_FAILURES_PER_MINUTE: 1 });
    const from = (n: number) => ({ 'x-forwarded-for': `192.0.2.${n}` });
    expect([(await guess(1, from(1))).status, (await guess(2, from(2))).status]).toEqual([401, 429]);
    await api.close();
    api = await openTestApi({ WRIT_AUTH_FAILURES_PER_MINUTE: 1, WRIT_TRUSTED_PROXIES: '127.0.0.0/8,::1' });
    expect([
      (await guess(1, from(1))).status,
      (await guess(2, from(2))).status,
      (await guess(3, from(1))).status,
    ]).toEqual([401, 401, 429]);
    // Addresses that the client itself sent before the proxy added its own are ignored.
    expect((await guess(4, { 'x-forwarded-for': '192.0.2.77, 192.0.2.1' })).status).toBe(429);
  });
});
