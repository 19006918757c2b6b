// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const ID = `op_${'0'.repeat(26)}`;
const container = {
  container_id: ID,
  kind: 'call',
  tenant_id: `ten_${'0'.repeat(26)}`,
  agent_id: `agt_${'0'.repeat(26)}`,
  workspace_id: null,
  session_id: null,
  resource_id: null,
  operation_id: ID,
  tool_id: 'shell.run',
  executor_id: 'exe_1',
  image_digest: null,
  created_at: 1,
};
let withheld = false;
let api: FakeApi;
beforeEach(async () => {
  api = await fakeApi(({ url }) => ({
    body: url.endsWith('/logs')
      ? { container_id: ID, output: 'half\u001b[2J done', output_bytes: 12, withheld }
      : url.endsWith('/kill')
        ? container
        : { items: [container], next_cursor: null },
  }));
});
afterEach(() => api.close());

test('containers are listed, their logs shown, and one is killed by its id', async () => {
  const runs = [
    [['container', 'list'], /since +container[^]*op_0+ +shell\.run/],
    [['container', 'kill', ID], /killed +op_0+[^]*shell\.run/],
    [['container', 'logs', ID], /half.*done/],
  ] as const;
  for (const [args, shown] of runs) {
    const { exit, out } = await writ([...args], { env: api.env });
    expect({ args, exit }).toEqual({ args, exit: 0 });
    expect(out).toMatch(shown);
  }
  expect(api.requests.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
    'GET /v1/containers',
    `POST /v1/containers/${ID}/kill`,
    `GET /v1/containers/${ID}/logs`,
  ]);
});

test('container output is escaped, and withheld output is reported', async () => {
  expect((await writ(['container', 'logs', ID], { env: api.env })).out).not.toContain('\u001b');
  withheld = true;
  expect((await writ(['container', 'logs', ID], { env: api.env })).out).toContain('a call with secrets shows nothing');
});
