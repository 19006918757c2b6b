// SPDX-License-Identifier: Apache-2.0
// The official client against `/mcp`, in both revisions, over a fake kernel.
import type { Client } from '@modelcontextprotocol/client';
import { Fault, type OperationView, type ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { viewOf } from '../../specs/fake-views.ts';
import { ERAS, mcpClient } from '../../specs/mcp-client.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let open: Client[] = [];
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
  api.kernel.admits = (call) => read(call);
});
afterEach(async () => {
  await Promise.all(open.map((client) => client.close()));
  open = [];
});

/** The fixture's token is of no workspace, so the URL names one. */
const pathOf = (query = ''): string =>
  `${api.url}/mcp/${has.capability_token_id}?workspace_id=${has.workspace_id}${query}`;
const connect = async (options: Parameters<typeof mcpClient>[2] = {}, query = '', key = tenant.agent) => {
  const client = await mcpClient(pathOf(query), key, options);
  open.push(client);
  return client;
};
const proposed = (): ProposedCall[] =>
  api.kernel.requests.filter(({ verb }) => verb === 'admit').map(({ request }) => request as unknown as ProposedCall);
const RESULT = { path: 'a', content: 'hello', encoding: 'utf8', size: 5, sha256: '0', lines: 1, truncated: false };
/** The view of a read that ended well. */
const read = (call: ProposedCall): OperationView => {
  const view = viewOf(call, 'no_op');
  return { ...view, result: { ...view.result!, status: 'ok', error: null, result: RESULT, result_ref: null } };
};
const post = (message: unknown, { key = tenant.agent, headers = {}, path = pathOf() } = {}) =>
  fetch(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

describe.each(ERAS)('with the revision %s', (era) => {
  it('lists the tools that the token grants, with schemas, and no others', async () => {
    const client = await connect({ era });
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fs_read', 'fs_write', 'operations_wait', 'operations_cancel']));
    expect(names.filter((name) => !/^(fs|operations)_/.test(name))).toEqual([]);
    expect(tools.find(({ name }) => name === 'fs_read')).toMatchObject({
      title: 'fs.read',
      inputSchema: { type: 'object', required: ['path'] },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
  });

  it('calls a tool as an operation, and answers with its structured result', async () => {
    const client = await connect({ era });
    await client.listTools();
    const result = await client.callTool({ name: 'fs_read', arguments: { path: 'a' } });
    const [call] = proposed();
    expect(call).toMatchObject({
      tool_id: 'fs.read',
      args: { path: 'a' },
      agent_id: tenant.agentId,
      capability_token_id: has.capability_token_id,
      workspace_id: has.workspace_id,
      idempotency_key: `mcp:${call!.operation_id}`,
      provenance: { source: 'mcp', ...(era === 'auto' ? { client: 'spec_client/1.2.3' } : {}) },
    });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      operation_id: call!.operation_id,
      state: 'no_op',
      result: RESULT,
      error: null,
      receipt: `writ://receipts/${call!.operation_id}`,
    });
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('"hello"') }]);
  });

  it('answers a refusal and a fault as errors of the tool, with code and operation', async () => {
    const client = await connect({ era });
    api.kernel.admits = (call) => {
      const view = viewOf(call, 'refused');
      const error = { code: 'policy.denied', message: 'the policy forbids the call', hint: 'ask' };
      return { ...view, result: { ...view.result!, status: 'error', error, result: null } };
    };
    const refused = await client.callTool({ name: 'fs_read', arguments: { path: 'a' } });
    expect([refused.isError, refused.structuredContent]).toMatchObject([
      true,
      { operation_id: proposed()[0]!.operation_id, state: 'refused', error: { code: 'policy.denied', hint: 'ask' } },
    ]);
    expect(refused.content).toEqual([{ type: 'text', text: expect.stringContaining('policy.denied') }]);
    api.kernel.admits = () => {
      throw new Fault('record.backlog');
    };
    const failed = await client.callTool({ name: 'fs_read', arguments: { path: 'a' } });
    expect([failed.isError, failed.structuredContent]).toMatchObject([true, { error: { code: 'record.backlog' } }]);
  });

  it('proposes a tool that the token does not grant, so that the kernel refuses and records it', async () => {
    const client = await connect({ era });
    for (const name of ['shell_run', 'shell.run', 'no_such_tool', 'no.such-tool'])
      await client.callTool({ name, arguments: { command: 'true' } });
    expect(proposed().map(({ tool_id }) => tool_id)).toEqual([
      'shell.run',
      'shell.run',
      'no_such_tool',
      'no.such-tool',
    ]);
  });

  it('takes the idempotency key of a request from its `_meta`, and refuses one that is none', async () => {
    const client = await connect({ era });
    const call = (key: string) =>
      client.callTool({ name: 'fs_read', arguments: { path: 'a' }, _meta: { 'writ.dev/idempotency-key': key } });
    await call('k1');
    expect(proposed()[0]).toMatchObject({ idempotency_key: 'k1' });
    await expect(call('no key')).rejects.toMatchObject({ code: -32602 });
    expect(proposed()).toHaveLength(1);
  });

  it('has a mode in which tools are searched, described, and then called', async () => {
    const client = await connect({ era }, '&tools=search');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'operations_cancel',
      'operations_wait',
      'tools_describe',
      'tools_search',
    ]);
    const found = await client.callTool({ name: 'tools_search', arguments: { query: 'read a file', limit: 3 } });
    expect(found.structuredContent).toMatchObject({
      tools: expect.arrayContaining([{ name: 'fs_read', description: expect.any(String) }]),
    });
    const described = await client.callTool({ name: 'tools_describe', arguments: { names: ['fs_read', 'shell_run'] } });
    expect((described.structuredContent as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
      'fs_read',
    ]);
    expect((await client.callTool({ name: 'fs_read', arguments: { path: 'a' } })).isError).toBeUndefined();
  });

  it('reads files by calls of fs.read, and operations and receipts as the API does', async () => {
    const client = await connect({ era });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`writ://operations/${has.operation_id}`);
    const file = await client.readResource({ uri: 'writ://workspace/src/a%20b.txt' });
    expect(file.contents).toMatchObject([{ text: 'hello', mimeType: 'text/plain' }]);
    expect(proposed()).toMatchObject([{ tool_id: 'fs.read', args: { path: 'src/a b.txt' } }]);
    const receipt = await client.readResource({ uri: `writ://receipts/${has.operation_id}` });
    expect((receipt.contents[0] as { text: string }).text).toContain('vnd.writ.receipt');
    for (const uri of [`writ://operations/${newId('operation')}`, 'writ://other/x', 'file:///etc/passwd'])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'writ://operations/{operation_id}' },
      argument: { name: 'operation_id', value: has.operation_id.slice(0, 8) },
    });
    expect(completion.values).toContain(has.operation_id);
  });

  it('tells the end of an earlier call, and cancels one', async () => {
    const client = await connect({ era });
    const waited = await client.callTool({ name: 'operations_wait', arguments: { operation_id: has.operation_id } });
    expect(waited.structuredContent).toMatchObject({ operation_id: has.operation_id, state: 'committed' });
    await client.callTool({ name: 'operations.cancel', arguments: { operation_id: has.operation_id } });
    expect(api.kernel.requests.map(({ verb }) => verb)).toContain('operation.cancel');
    await expect(client.callTool({ name: 'operations.wait', arguments: { operation_id: 'x' } })).rejects.toMatchObject({
      code: -32602,
    });
    expect(proposed()).toEqual([]);
  });
});

describe('a held call', () => {
  const held = (call: ProposedCall): OperationView => ({ ...viewOf(call, 'held'), result: null });
  /** Holds a call, and ends it as if a person had approved it a moment later. */
  const heldForAMoment = (call: ProposedCall): OperationView => {
    setTimeout(() => {
      api.kernel.keep(tenant.tenantId, call.operation_id, 'operation', read(call));
      void api.publishOperation(tenant.tenantId, call.operation_id, 'no_op');
    }, 200);
    return held(call);
  };

  it('is asked about where the client can ask, and no answer approves it', async () => {
    api.kernel.admits = heldForAMoment;
    const asked: string[] = [];
    const client = await connect({
      elicit: (message) => {
        asked.push(message);
        return { action: 'accept', content: { approve: true, decision: 'approve', value: 'x' } };
      },
    });
    const result = await client.callTool({ name: 'fs_read', arguments: { path: 'a' } });
    expect(asked).toEqual([expect.stringContaining('Nothing that an MCP client answers approves it')]);
    expect(result.structuredContent).toMatchObject({ operation_id: proposed()[0]!.operation_id, state: 'no_op' });
    expect(proposed()).toHaveLength(1);
    expect(api.kernel.requests.filter(({ verb }) => verb.startsWith('approval.'))).toEqual([]);
  });

  it('is answered with its handle where the user does not want to wait', async () => {
    api.kernel.admits = held;
    const client = await connect({ elicit: () => ({ action: 'decline' }) });
    const result = await client.callTool({ name: 'fs_read', arguments: { path: 'a' } });
    expect(result.structuredContent).toMatchObject({
      state: 'held',
      result: null,
      next: expect.stringContaining('operations_wait'),
    });
    expect(result.isError).toBeUndefined();
  });

  it('waits for its end in the older revision', async () => {
    api.kernel.admits = heldForAMoment;
    const client = await connect({ era: 'legacy' });
    const progress: string[] = [];
    const result = await client.callTool(
      { name: 'fs_read', arguments: { path: 'a' } },
      { onprogress: ({ message }) => progress.push(message ?? '') },
    );
    expect(result.structuredContent).toMatchObject({ state: 'no_op' });
    expect(progress).toEqual(['fs.read runs', 'a person decides about the call']);
  });

  it('is not continued with a state that was made for another key, another token or another tool, or by nobody', async () => {
    api.kernel.admits = held;
    const client = await connect({ elicit: () => ({ action: 'decline' }) });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const call = (params: object, key = tenant.agent, path = pathOf()) =>
      post(
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'fs.read', arguments: {}, _meta: meta, ...params },
        },
        {
          key,
          path,
          headers: {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/call',
            'mcp-name': (params as { name?: string }).name ?? 'fs.read',
          },
        },
      ).then((answer) => answer.json() as Promise<Record<string, Record<string, unknown>>>);
    const { result } = await call({});
    expect(result).toMatchObject({ resultType: 'input_required' });
    const again = { requestState: result!['requestState'], inputResponses: { approval: { action: 'decline' } } };
    expect((await call(again))['result']).toMatchObject({ structuredContent: { state: 'held' } });
    const other = (await api.newKey(tenant.tenantId, 'agent', tenant.agentId)) as string;
    for (const refused of [
      await call(again, other),
      await call({ ...again, name: 'fs.list' }),
      await call({ ...again, requestState: `${String(again.requestState).slice(0, -2)}AA` }),
    ])
      expect(refused['error']).toMatchObject({ code: -32602 });
    await client.close();
  });
});

describe('access', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  it('needs a key of an agent or an administrator', async () => {
    for (const [key, status] of [
      ['word', 401],
      [tenant.auditor, 403],
    ] as const) {
      const answer = await post(ping, { key });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        status,
        status === 401 ? 'Bearer realm="writ"' : null,
      ]);
    }
  });

  it('answers a token of another tenant, of another agent and one that is not there alike', async () => {
    const theirs = await createFixture(api, await api.newTenant());
    const child = await api.ask('POST', `/v1/capability-tokens/${has.capability_token_id}/attenuate`, {
      key: tenant.admin,
      body: { grant: { ...GRANTED } },
    });
    const ofAnother = {
      ...(api.kernel.find({ tenant_id: tenant.tenantId } as never, child.json['capability_token_id']) as {
        readonly capability_token_id: string;
      }),
      agent_id: newId('agent'),
    };
    api.kernel.keep(tenant.tenantId, ofAnother.capability_token_id, 'token', ofAnother);
    for (const id of [theirs.capability_token_id, ofAnother.capability_token_id, newId('token')]) {
      const answer = await post(ping, { path: `${api.url}/mcp/${id}` });
      expect([answer.status, await answer.json()]).toEqual([404, problem('not_found', 404)]);
    }
  });

  it('finds the token by the header, and asks for one where the agent has several', async () => {
    const named = await post(ping, { path: `${api.url}/mcp`, headers: { 'writ-token': has.capability_token_id } });
    expect(named.status).toBe(200);
    const several = await post(ping, { path: `${api.url}/mcp` });
    expect([several.status, await several.json()]).toEqual([409, problem('conflict', 409)]);
  });

  it('refuses names of other hosts, and pages of other origins', async () => {
    const asked = (headers: Record<string, string>) => post(ping, { headers }).then(({ status }) => status);
    const evil = await post(ping, { headers: { origin: 'http://evil.example' } });
    expect([evil.status, await evil.json()]).toEqual([403, problem('request.wrong_host', 403)]);
    expect(await asked({ origin: 'null' })).toBe(403);
    expect(await asked({ origin: new URL(api.url).origin })).toBe(200);
  });

  it('has no session: it opens no stream, ends none, and ignores a session id that somebody names', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(pathOf(), { method, headers: { authorization: `Bearer ${tenant.agent}` } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await post(ping, { headers: { 'mcp-session-id': 'ses' } })).status).toBe(200);
  });

  it('refuses what is no message, too long or a batch, and answers unknown methods with an error', async () => {
    expect((await post('{')).status).toBe(400);
    expect((await post([ping])).status).toBe(400);
    expect((await post(JSON.stringify({ ...ping, params: { x: 'x'.repeat(9_000_000) } }))).status).toBe(413);
    expect(await (await post({ ...ping, method: 'no/such' })).text()).toContain('-32601');
    expect(await (await post({ ...ping, method: 'subscriptions/listen' })).text()).toContain('-32601');
  });
});

const GRANTED = {
  tools: ['fs.*'],
  fs: [],
  net: [],
  secrets: [],
  budgets: {},
  not_before: 0,
  expires_at: 9_000_000_000_000,
};
