// SPDX-License-Identifier: Apache-2.0
// Questions in answer to reads and prompts of a mounted server, over a fake kernel.
import { MCP_INPUT } from '@writ/contract';
import {
  ANSWER,
  ANSWER_KEY,
  AskingServer,
  ASKS,
  ended,
  FORM,
  question,
  SHOWN,
  WHO,
} from '../../../specs/asking-server.ts';
import { trackerTool } from '../../../specs/mounted-server.ts';

let server: AskingServer;
beforeAll(async () => {
  server = await AskingServer.open();
});
afterAll(() => server.api.close());
beforeEach(() => server.reset());

describe.each([
  ['resources/read', { uri: 'test://a' }, { uri: 'test://b' }, { contents: [{ uri: 'test://a', text: 'a plan' }] }],
  ['prompts/get', { name: 'review', arguments: { a: '1' } }, { name: 'review' }, { messages: [] }],
])('a server that asks in answer to %s', (method, own, another, reply) => {
  const id = trackerTool(method);
  const answer = { ...ANSWER, content: [], structured: reply };

  it('asks the client, whose answers are arguments of a second call of the same request', async () => {
    server.answers = [question(), question({ who: FORM }, 'second state'), answer];
    const first = await server.send(method, own);
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: SHOWN } });
    expect(JSON.stringify(first)).not.toContain('state of the server');
    const second = await server.send(method, own, { state: first.result?.['requestState'], responses: WHO });
    expect(second.result).toMatchObject({ resultType: 'input_required' });
    const third = await server.send(method, own, { state: second.result?.['requestState'], responses: WHO });
    expect(third.result).toMatchObject({ resultType: 'complete', ...reply });
    const calls = server.proposed();
    expect(calls.map(({ tool_id }) => tool_id)).toEqual([id, id, id]);
    expect(calls.map(({ args }) => args)).toEqual([
      { ...own, [MCP_INPUT]: { capabilities: ASKS } },
      { ...own, [MCP_INPUT]: { capabilities: ASKS, responses: WHO, state: 'state of the server' } },
      { ...own, [MCP_INPUT]: { capabilities: ASKS, responses: WHO, state: 'second state' } },
    ]);
    const keys = calls.slice(1).map(({ idempotency_key }) => idempotency_key);
    expect([new Set(keys).size, keys.every((key) => ANSWER_KEY.test(key ?? ''))]).toEqual([2, true]);
  });

  it('gets no answer to another request, under another token, or with a state that was changed', async () => {
    server.answers = [question()];
    const state = String((await server.send(method, own)).result?.['requestState']);
    const sent = { state, responses: WHO };
    const rejected = [
      await server.send(method, another, sent),
      await server.call({ ...sent }),
      await server.send(method, own, { ...sent, as: server.other }),
      await server.send(method, own, { ...sent, state: `${state.slice(0, -2)}xx` }),
    ];
    expect(rejected.map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602, -32602]);
    expect(server.proposed()).toHaveLength(1);
  });

  it('is told of what both sides have, and asks nobody else', async () => {
    server.answers = [question(), answer];
    const failed = await server.send(method, own, { capabilities: { sampling: {}, roots: {} } });
    expect(failed.error).toMatchObject({ code: -32602, message: expect.stringContaining('asks its client') });
    await server.send(method, { ...own, [MCP_INPUT]: { capabilities: ['roots'] } }, { capabilities: {} });
    expect(server.inputs()).toEqual([{ capabilities: ['sampling'] }, undefined]);
  });

  it('may ask once a person has approved the call, and no answer approves it', async () => {
    const { kernel } = server.api;
    server.hold();
    const held = await server.send(method, own);
    expect(held.result).toMatchObject({ inputRequests: { approval: {} } });
    const [first] = server.proposed();
    kernel.keep(server.tenant.tenantId, first!.operation_id, 'operation', ended(first!, question()));
    const accepted = { approval: { action: 'accept' } };
    const asked = await server.send(method, own, { state: held.result?.['requestState'], responses: accepted });
    expect(asked.result).toMatchObject({ inputRequests: { who: SHOWN } });
    const again = await server.send(method, own, {
      state: asked.result?.['requestState'],
      responses: { ...WHO, ...accepted },
    });
    expect(again.result).toMatchObject({ inputRequests: { approval: {} } });
    expect(server.inputs()[1]).toMatchObject({ responses: WHO });
    expect(kernel.requests.filter(({ verb }) => verb.startsWith('approval'))).toEqual([]);
  });
});

it('a list is never answered with a question, and its server is told of no capability', async () => {
  server.answers = [question()];
  const { error, result } = await server.send('prompts/list', {});
  expect([error?.code, result, server.inputs()]).toEqual([-32602, undefined, [undefined]]);
});
