// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { OpsServer } from './ops-server.ts';
import { NotReady, Readiness } from './readiness.ts';

let readiness: Readiness;
let server: OpsServer;
let url: string;
beforeEach(async () => {
  readiness = new Readiness();
  server = new OpsServer({
    host: '127.0.0.1',
    port: 0,
    version: '1.2.3',
    readiness,
    metricsText: async () => 'writ_calls_total 1\n',
  });
  url = `http://127.0.0.1:${await server.listen()}`;
});
afterEach(() => server.close());

const get = async (path: string, method = 'GET') => {
  const response = await fetch(`${url}${path}`, { method });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
};

test('it lives from the start and is ready once started', async () => {
  expect(await get('/healthz')).toMatchObject({ status: 200, body: '{"status":"ok","version":"1.2.3"}' });
  expect(await get('/readyz')).toMatchObject({ status: 503, body: '{"ready":false,"checks":{"process":"starting"}}' });
  readiness.started();
  expect(await get('/readyz')).toMatchObject({ status: 200, body: '{"ready":true,"checks":{}}' });
  readiness.stopping();
  expect(await get('/readyz')).toMatchObject({ status: 503 });
});

test('each check is named with its outcome, and one that fails makes the process not ready', async () => {
  readiness.started();
  readiness.add('bus', () => {});
  readiness.add('database', async () => {
    throw new Fault('database.unavailable', 'password is swordfish');
  });
  expect(await get('/readyz')).toMatchObject({
    status: 503,
    body: '{"ready":false,"checks":{"bus":"ok","database":"database.unavailable"}}',
  });
});

test('a check may name the setting to change, and never repeats the message of another error', async () => {
  readiness.started();
  readiness.add('engine', () => {
    throw new NotReady('set `ENGINE`', { cause: new Error('password is swordfish') });
  });
  expect(await get('/readyz')).toMatchObject({
    status: 503,
    body: '{"ready":false,"checks":{"engine":"set `ENGINE`"}}',
  });
});

test('a check that hangs counts as late', async () => {
  readiness.started();
  readiness.add('database', () => new Promise(() => {}));
  expect(await get('/readyz')).toMatchObject({ status: 503, body: '{"ready":false,"checks":{"database":"late"}}' });
});

test("metrics are served in Prometheus' text format", async () => {
  expect(await get('/metrics')).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    body: 'writ_calls_total 1\n',
  });
});

test('anything else is refused', async () => {
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics/../../etc/passwd')).status).toBe(404);
  expect((await get('/metrics', 'POST')).status).toBe(405);
});

test('listening on a used port rejects', async () => {
  const second = new OpsServer({
    host: '127.0.0.1',
    port: Number(new URL(url).port),
    version: '1.2.3',
    readiness,
    metricsText: async () => '',
  });
  await expect(second.listen()).rejects.toThrow(/EADDRINUSE/);
});
