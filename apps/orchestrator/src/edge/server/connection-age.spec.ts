// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openTestApi } from '../../specs/test-api.ts';

/** Long beside the time of an answer, short for a test. */
const AGE_MS = 1_000;
const PAST_SPREAD_MS = AGE_MS * 1.2;

let agent: Agent;
beforeEach(() => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(() => {
  agent.destroy();
});

async function ask(
  url: string,
): Promise<{
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly isReused: boolean;
}> {
  const asking = request(`${url}/healthz`, { agent });
  asking.end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'close');
  return { status: response.statusCode, connection: response.headers.connection, isReused: asking.reusedSocket };
}

test('a connection older than its bound is closed after one more response, and the client opens a new one', async () => {
  const api = await openTestApi({ WRIT_CONNECTION_MAX_AGE_MS: AGE_MS });
  expect(await ask(api.url)).toEqual({ status: 200, connection: 'keep-alive', isReused: false });
  expect(await ask(api.url)).toEqual({ status: 200, connection: 'keep-alive', isReused: true });
  await pause(PAST_SPREAD_MS);
  expect(await ask(api.url)).toEqual({ status: 200, connection: 'close', isReused: true });
  expect(await ask(api.url)).toEqual({ status: 200, connection: 'keep-alive', isReused: false });
  await api.close();
});

test('with a bound of 0 a connection stays open, however old it is', async () => {
  const api = await openTestApi();
  await ask(api.url);
  await pause(PAST_SPREAD_MS);
  expect(await ask(api.url)).toEqual({ status: 200, connection: 'keep-alive', isReused: true });
  await api.close();
});
