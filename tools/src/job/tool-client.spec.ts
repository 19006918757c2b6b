// SPDX-License-Identifier: Apache-2.0
import { Api } from './api.ts';
import { entry } from './specs/entries.ts';
import { localServer, type LocalServer } from './specs/local-server.ts';
import { answerOf, ToolClient } from './tool-client.ts';

const CALL = { id: 'c1', tool_id: 'shell.run', args: { command: 'rm -rf src' } };
const denied = entry({ n: 1, command: 'rm -rf src', state: 'refused', code: 'approval.denied', held: true });

let server: LocalServer;
let isDenied: boolean;
let pending: unknown[];
const output: string[] = [];
beforeAll(async () => {
  server = await localServer(({ url }) => {
    if (url.endsWith('/tree'))
      return {
        body: {
          workspace_id: 'w',
          snapshot_id: 'snap_1',
          path: '',
          next_cursor: null,
          entries: [{ path: 'src', state: { kind: 'dir', mode: null, sha256: null, size: 0 } }],
        },
      };
    if (url.startsWith('/v1/approvals?')) return { body: { items: pending, next_cursor: null } };
    if (url.endsWith('/deny')) {
      isDenied = true;
      return { body: denied.operation };
    }
    if (url === '/v1/tool-calls') return { status: 202, body: { ...denied.operation, state: 'held', result: null } };
    return { body: isDenied ? denied.operation : { ...denied.operation, state: 'held', result: null } };
  });
});
afterAll(() => server.close());
beforeEach(() => {
  isDenied = false;
  pending = [{ ...denied.approval, args: CALL.args }];
  output.length = 0;
  server.asked.length = 0;
});

const toolClient = (): ToolClient =>
  new ToolClient({
    agent: new Api(server.url, 'agent-key'),
    operator: new Api(server.url, 'operator-key'),
    workspaceId: 'wsp_1',
    tokenId: 'cap_1',
    runId: 'run-1',
    model: 'm',
    print: (line) => output.push(line),
  });

test("a held call is shown, and denied with another key than its caller's", async () => {
  const made = await toolClient().call(CALL, 3, 'model');
  expect(made).toMatchObject({ approval: { state: 'pending' }, operation: { state: 'refused' } });
  expect(output.join('\n')).toContain('rm -rf src');
  const keyOf = (path: string): unknown => server.asked.find(({ url }) => url.endsWith(path))!.headers['authorization'];
  expect([keyOf('/v1/tool-calls'), keyOf('/deny')]).toEqual(['Bearer agent-key', 'Bearer operator-key']);
  expect(answerOf(made)).toMatchObject({ is_error: true, text: expect.stringContaining('approval.denied') });
});

test('the same call is sent under the same idempotency key', async () => {
  const at = toolClient();
  const first = await at.call(CALL, 3, 'model');
  await at.repeat(first);
  const keys = server.asked
    .filter(({ url }) => url === '/v1/tool-calls')
    .map(({ body }) => (body as Record<string, unknown>)['idempotency_key']);
  expect(keys).toEqual(['run-1/3/c1', 'run-1/3/c1']);
  expect(at.journal.map(({ isRepeat }) => isRepeat)).toEqual([false, true]);
});

test('a held call without a pending approval is an error', async () => {
  pending = [];
  await expect(toolClient().call(CALL, 1, 'model')).rejects.toThrow('no approval of it is pending');
});
