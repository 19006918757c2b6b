// SPDX-License-Identifier: Apache-2.0
import { Controller, Get, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import { sha256 } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { startTelemetry } from '@writ/telemetry';
import { vi } from 'vitest';
import { FakeApiKeys } from '../../specs/fake-api-keys.ts';
import { openTestApi, problem } from '../../specs/test-api.ts';
import { formatApiKey, hashApiKey, isApiKeyText } from './api-key-text.ts';
import { AccessGuard } from './access.guard.ts';
import { Authenticator } from './authenticator.ts';
import { HttpAdapter } from '../server/http-adapter.ts';
import { FailedKeys } from './failed-keys.ts';
import { FullQueues } from './full-queues.ts';
import { parsePlatformHash } from './platform-key.ts';
import { ProblemFilter } from '../problems/problem.filter.ts';
import { RateFault, RateLimit, rateHeaders } from './rate-limit.ts';

const platformHash = Buffer.from(sha256(Buffer.from('platform')));

describe('a key', () => {
  const id = newId('apiKey');
  const text = formatApiKey(id, Buffer.alloc(32, 7));

  it('carries its id and 256 random bits', () => {
    expect(text).toBe(`writ_${id.slice(4)}_${Buffer.alloc(32, 7).toString('base64url')}`);
    expect(isApiKeyText(text)).toBe(true);
    for (const other of [`${text}a`, text.slice(1), text.toUpperCase(), '', 'writ_'])
      expect(isApiKeyText(other)).toBe(false);
    expect(() => formatApiKey(id, Buffer.alloc(31))).toThrow('32 random bytes');
  });

  it('that was revoked at another replica is rejected after a second', async () => {
    let now = 5_000;
    const keys = new FakeApiKeys();
    const tenant = newId('tenant');
    for (const each of [id, newId('apiKey')])
      await keys.create(tenant, {
        api_key_id: each,
        name: 'x',
        role: 'admin',
        agent_id: null,
        hash: each === id ? hashApiKey(text) : Buffer.alloc(32),
        created_by: 'spec',
      });
    const authenticator = new Authenticator(keys, platformHash, () => now, new FailedKeys(100, () => now));
    const identify = () => authenticator.identify(`Bearer ${text}`, '192.0.2.1');
    expect(await identify()).toMatchObject({ api_key_id: id, tenant_id: tenant });
    await keys.revoke(tenant, id);
    now += 999;
    await expect(identify()).rejects.toMatchObject({ code: 'auth.invalid' });
  });

  it('is rejected within a second of its end, and so is its former secret', async () => {
    let now = 5_000;
    const keys = new FakeApiKeys(() => now);
    const key = { api_key_id: id, name: 'x', role: 'auditor', agent_id: null, created_by: 'spec' } as const;
    await keys.create('ten_a', { ...key, hash: hashApiKey(text), expires_at: 20_000 });
    const authenticator = new Authenticator(keys, platformHash, () => now, new FailedKeys(100, () => now));
    const identify = (presented: string) => authenticator.identifyFully(`Bearer ${presented}`, '192.0.2.1');
    const next = formatApiKey(id, Buffer.alloc(32, 8));
    await keys.rotate('ten_a', id, { hash: hashApiKey(next), overlap_ms: 5_000 }, async () => undefined);
    expect(await identify(text)).toMatchObject({ expires_at: 10_000, is_former: true });
    expect(await identify(next)).toMatchObject({ expires_at: 20_000, is_former: false });
    now = 10_901;
    await expect(identify(text)).rejects.toMatchObject({ code: 'auth.invalid' });
    now = 19_999;
    await identify(next);
    now = 20_901;
    await expect(identify(next)).rejects.toMatchObject({ code: 'auth.invalid' });
  });

  it('with scopes is refused to whoever does not say that any will do', async () => {
    const keys = new FakeApiKeys(() => 0);
    const key = { api_key_id: id, name: 'x', role: 'auditor', agent_id: null, created_by: 'spec' } as const;
    await keys.create('ten_a', { ...key, hash: hashApiKey(text), scopes: ['log:read'] });
    const noted: string[] = [];
    const authenticator = new Authenticator(keys, platformHash, () => 0, new FailedKeys(100, () => 0), null, {
      note: (used) => void noted.push(used),
    });
    const need = { roles: null, path: '/' };
    await expect(authenticator.identify(`Bearer ${text}`, '192.0.2.1', need)).rejects.toMatchObject({
      code: 'auth.insufficient_scope',
    });
    const caller = await authenticator.identify(`Bearer ${text}`, '192.0.2.1', { ...need, ofAnyScope: true });
    expect(caller).toMatchObject({ api_key_id: id });
    await authenticator.verifyCaller(
      caller as never,
      { authorization: `Bearer ${text}`, cookie: undefined },
      '192.0.2.1',
    );
    expect(noted).toEqual([id, id, id]);
  });

  it('that was revoked at this replica is rejected at once', async () => {
    const keys = new FakeApiKeys();
    await keys.create('ten_a', {
      api_key_id: id,
      name: 'x',
      role: 'auditor',
      agent_id: null,
      hash: hashApiKey(text),
      created_by: 'spec',
    });
    const authenticator = new Authenticator(keys, platformHash, () => 0, new FailedKeys(100, () => 0));
    await authenticator.identify(`Bearer ${text}`, '192.0.2.1');
    await keys.revoke('ten_a', id);
    authenticator.forget(id);
    await expect(authenticator.identify(`Bearer ${text}`, '192.0.2.1')).rejects.toMatchObject({ code: 'auth.invalid' });
  });

  it('whose lookup was slow is cached no longer than a second after the lookup began', async () => {
    let now = 5_000;
    const keys = new FakeApiKeys();
    await keys.create('ten_a', {
      api_key_id: id,
      name: 'x',
      role: 'auditor',
      agent_id: null,
      hash: hashApiKey(text),
      created_by: 'spec',
    });
    const slow = vi.spyOn(keys, 'present').mockImplementationOnce(async (hash) => {
      const caller = await FakeApiKeys.prototype.present.call(keys, hash);
      now += 700;
      return caller;
    });
    const authenticator = new Authenticator(keys, platformHash, () => now, new FailedKeys(100, () => now));
    await authenticator.identify(`Bearer ${text}`, '192.0.2.1');
    await keys.revoke('ten_a', id);
    now += 299;
    await expect(authenticator.identify(`Bearer ${text}`, '192.0.2.1')).rejects.toMatchObject({ code: 'auth.invalid' });
    expect(slow).toHaveBeenCalledTimes(2);
  });

  it('that is revoked at this replica during its lookup is rejected afterwards', async () => {
    const keys = new FakeApiKeys();
    await keys.create('ten_a', {
      api_key_id: id,
      name: 'x',
      role: 'auditor',
      agent_id: null,
      hash: hashApiKey(text),
      created_by: 'spec',
    });
    const authenticator = new Authenticator(keys, platformHash, () => 5_000, new FailedKeys(100, () => 5_000));
    vi.spyOn(keys, 'present').mockImplementationOnce(async (hash) => {
      const caller = await FakeApiKeys.prototype.present.call(keys, hash);
      await keys.revoke('ten_a', id);
      authenticator.forget(id);
      return caller;
    });
    await authenticator.identify(`Bearer ${text}`, '192.0.2.1');
    await expect(authenticator.identify(`Bearer ${text}`, '192.0.2.1')).rejects.toMatchObject({ code: 'auth.invalid' });
  });

  it('of the platform is recognized by its hash', async () => {
    const authenticator = new Authenticator(new FakeApiKeys(), platformHash, () => 0, new FailedKeys(100, () => 0));
    expect(await authenticator.identify('bearer platform', '192.0.2.1')).toBe('platform');
    await expect(authenticator.identify('Bearer platforn', '192.0.2.1')).rejects.toMatchObject({
      code: 'auth.invalid',
    });
    await expect(authenticator.identify(undefined, '192.0.2.1')).rejects.toMatchObject({ code: 'auth.missing' });
    expect(parsePlatformHash(`${platformHash.toString('hex')}\n`)).toEqual(platformHash);
    expect(() => parsePlatformHash('writ_platform_x')).toThrow('64 lower-case');
  });
});

describe('the rate of a tenant', () => {
  it('is a burst, then a number per second, separately for each tenant', () => {
    let now = 0;
    const rate = new RateLimit(
      () => ({ tenant: { perSecond: 10, burst: 3 }, person: null }),
      () => now,
    );
    const takes = (tenant: string, times: number) =>
      Array.from({ length: times }, () => {
        try {
          rate.consume({ tenant_id: tenant as never, api_key_id: 'key_1' as never });
          return true;
        } catch {
          return false;
        }
      });
    expect(takes('a', 4)).toEqual([true, true, true, false]);
    expect(takes('b', 1)).toEqual([true]);
    now = 100;
    expect(takes('a', 2)).toEqual([true, false]);
    now = 100_000;
    expect(takes('a', 4)).toEqual([true, true, true, false]);
  });

  it('is of each person too, where it is set, and leaves the rest to the others', () => {
    const rate = new RateLimit(
      () => ({ tenant: { perSecond: 1, burst: 5 }, person: { perSecond: 1, burst: 2 } }),
      () => 0,
    );
    const take = (api_key_id: string, person?: string): boolean => {
      try {
        rate.consume({ tenant_id: 't', api_key_id, ...(person === undefined ? {} : { person }) } as never);
        return true;
      } catch {
        return false;
      }
    };
    // Two credentials of one person share what the person has.
    expect([take('key_1', 'per_a'), take('key_2', 'per_a'), take('key_1', 'per_a')]).toEqual([true, true, false]);
    expect([take('key_3'), take('key_4'), take('key_3')]).toEqual([true, true, true]);
    expect(take('key_5')).toBe(false);
  });

  it('is shown with what is left of it, for the tenant and for the person', () => {
    let now = 0;
    const rate = new RateLimit(
      () => ({ tenant: { perSecond: 10, burst: 30 }, person: { perSecond: 1, burst: 2 } }),
      () => now,
    );
    const take = () => rateHeaders(rate.consume({ tenant_id: 't', api_key_id: 'key_1' } as never));
    expect(take()).toEqual({
      'ratelimit-policy': '"tenant";q=30;w=3, "person";q=2;w=2',
      ratelimit: '"tenant";r=29;t=1, "person";r=1;t=1',
    });
    expect(take().ratelimit).toBe('"tenant";r=28;t=1, "person";r=0;t=2');
    expect(take).toThrow(RateFault);
    now = 10_000;
    expect(take().ratelimit).toBe('"tenant";r=29;t=1, "person";r=1;t=1');
  });

  it('answers 429 with `Retry-After`, and says on every answer to a key what is left', async () => {
    const api = await openTestApi({ WRIT_RATE_PER_SECOND: 1, WRIT_RATE_BURST: 2 });
    const tenant = await api.newTenant();
    const ask = (path: string, key: string) => api.ask('GET', path, { key });
    const shown = [
      await ask('/v1/tools', tenant.admin),
      await ask('/v1/agents/banana', tenant.operator),
      await ask('/v1/tools', tenant.operator),
    ].map(({ status, headers }) => [status, headers.get('ratelimit-policy'), headers.get('ratelimit')]);
    expect(shown).toEqual([
      [200, '"tenant";q=2;w=2', '"tenant";r=1;t=1'],
      [404, '"tenant";q=2;w=2', '"tenant";r=0;t=2'],
      [429, '"tenant";q=2;w=2', '"tenant";r=0;t=2'],
    ]);
    const refused = await ask('/v1/tools', tenant.admin);
    expect(refused.json).toEqual(problem('rate.limited', 429));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await api.ask('GET', '/healthz')).headers.get('ratelimit')).toBeNull();
    await api.close();
  });
});

test('an overloaded API rejects requests at once, and still answers health checks', async () => {
  const api = await openTestApi({ WRIT_REQUESTS_MAX: 0 });
  const answer = await api.ask('GET', '/v1/tools');
  expect(answer.json).toEqual(problem('overloaded', 503));
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await api.ask('GET', '/healthz')).status).toBe(200);
  await api.close();
});

test('a handler without a route of the table rejects every request', async () => {
  class Undecorated {
    run(): string {
      return 'in';
    }
  }
  Get('/somewhere')(Undecorated.prototype, 'run', Object.getOwnPropertyDescriptor(Undecorated.prototype, 'run')!);
  Controller()(Undecorated);
  const telemetry = startTelemetry({ service: 'orchestrator', version: '0', destination: { write: () => undefined } });
  const guard = new AccessGuard(
    new Authenticator(new FakeApiKeys(), platformHash, () => 0, new FailedKeys(100, () => 0)),
    new RateLimit(
      () => ({ tenant: { perSecond: 1, burst: 1 }, person: null }),
      () => 0,
    ),
    new FullQueues(() => 0),
  );
  const module: DynamicModule = {
    module: Undecorated,
    controllers: [Undecorated],
    providers: [
      { provide: APP_GUARD, useValue: guard },
      { provide: APP_FILTER, useValue: new ProblemFilter(telemetry.logger('silent'), () => []) },
    ],
  };
  const app = await NestFactory.create(module, new HttpAdapter(() => []), { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  const answer = await fetch(`${await app.getUrl()}/somewhere`, { headers: { authorization: 'Bearer platform' } });
  const text = await answer.text();
  await app.close();
  await telemetry.shutdown();
  expect(JSON.parse(text)).toEqual(problem('auth.role', 403));
});
