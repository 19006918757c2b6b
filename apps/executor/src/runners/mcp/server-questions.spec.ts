// SPDX-License-Identifier: Apache-2.0
//
// Questions of an MCP server through the egress gate, with the session in a thread.
import { MCP_INPUT, type McpTool } from '@writ/contract';
import { acceptedTool } from '@writ/mcp-tool';
import { mcpHttpServer, McpHttpScene } from '../../specs/mcp-http-scene.ts';
import { REMOTE_TOOL } from '../../specs/mcp-upstream.ts';

const ASKS = ['elicitation'] as const;
const SERVER = mcpHttpServer('github', 'GITHUB', { asks: [...ASKS] });
const TOOL: McpTool = { ...acceptedTool({ ...SERVER, asks: ASKS }, 'create_issue', REMOTE_TOOL, 'write'), version: 1 };

const scene = McpHttpScene.open();

const call = (secret: string) =>
  scene.call({
    tool: TOOL,
    server: SERVER,
    args: { title: 'A leak', [MCP_INPUT]: { capabilities: ['elicitation'] } },
    secret,
  });

const FORM = { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } };
const asks = (params: object, requestState: string | null = null) => ({
  resultType: 'input_required',
  inputRequests: { one: { method: 'elicitation/create', params } },
  ...(requestState === null ? {} : { requestState }),
});
const answerWith = (result: object): void => {
  scene.server.answers = { 'tools/call': (message, response) => scene.server.result(message, response, { ...result }) };
};

it('a question is the result of the call, as the server asks it', async () => {
  answerWith(asks(FORM, 'kept "as it is"'));
  expect(await call('key-"0123456789"-secret')).toMatchObject({
    ended: 'exited',
    result: {
      content: [],
      asks: { requests: { one: { method: 'elicitation/create', params: FORM } }, state: 'kept "as it is"' },
    },
  });
});

it.each([
  ['quotes', 'key-"0123456789"-secret'],
  ['backslashes', 'key-\\0123456789\\-secret'],
  ['no character that JSON escapes', 'key-0123456789-secret'],
])('a question that repeats a credential with %s is not kept, wherever it is', async (_which, secret) => {
  const json = JSON.stringify({ t: secret });
  const described = { type: 'string', description: json };
  for (const question of [
    asks(FORM, json),
    asks(FORM, JSON.stringify([json])),
    asks(FORM, `state ${secret}`),
    asks({ ...FORM, message: json }),
    asks({ ...FORM, requestedSchema: { type: 'object', properties: { one: described } } }),
    asks({ ...FORM, requestedSchema: { type: 'object', properties: { [json]: { type: 'string' } } } }),
  ]) {
    answerWith(question);
    const report = await call(secret);
    expect(report).toMatchObject({ error: { code: 'mcp.protocol' } });
    expect(JSON.stringify(report)).not.toContain('0123456789');
  }
});
