// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openTestApi } from '../../specs/test-api.ts';

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(10);
}

test('a server that closes during a response on a keep-alive connection waits only for that response', async () => {
  const api = await openTestApi();
  const tenant = await api.newTenant();
  const [asked, answer] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
  api.kernel.handlers.set('agent.list', async () => {
    asked.resolve(null);
    await answer.promise;
    return { items: [], next_cursor: null };
  });
  const agent = new Agent({ keepAlive: true });
  const asking = request(`${api.url}/v1/agents`, { agent, headers: { authorization: `Bearer ${tenant.admin}` } });
  asking.end();
  await asked.promise;
  const closed = api.app.close();
  // The server doesn't listen any more.
  await until(
    async () =>
      await fetch(`${api.url}/healthz`).then(
        () => false,
        () => true,
      ),
  );
  answer.resolve(null);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.resume();
  expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
  // If the connection stayed open, Node would wait for its next request longer than a test may take.
  await closed;
  agent.destroy();
  await api.close().catch(() => undefined);
});
