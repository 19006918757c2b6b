// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, bindTool, MCP_INPUT, McpTool, type McpAsk, type McpRemoteTool } from '@writ/contract';
import { Value } from 'typebox/value';
import { acceptedTool } from './accepted-tool.ts';
import { mcpDefinition } from './definition.ts';
import { remoteProblems } from './remote-tool.ts';
import { namesInput } from './names-input.ts';
import { inputOf, offeredDefinition } from './server-questions.ts';
import { serverRequests } from './server-requests.ts';

const LOOK: McpRemoteTool = {
  name: 'look',
  inputSchema: {
    type: 'object',
    properties: { place: { type: 'string' } },
    required: ['place'],
    additionalProperties: false,
    maxProperties: 1,
  },
};
const ASKS: readonly McpAsk[] = ['elicitation', 'sampling'];
const server = (asks?: readonly McpAsk[]) => ({ name: 'docs', digest: 'd'.repeat(64), asks });
const documentOf = (tool: McpRemoteTool, asks?: readonly McpAsk[]): McpTool => ({
  ...acceptedTool(server(asks), 'look', tool, 'read'),
  version: 1,
});
const faultsOf = (tool: McpTool, args: Record<string, unknown>) =>
  argumentFaults(bindTool(mcpDefinition(tool), []), args).map(({ pointer }) => pointer);
const INPUT = { capabilities: ['elicitation'], responses: { name: { action: 'decline' } }, state: 's' };
const AT = '/writ.dev~1input';

describe('the document of a tool', () => {
  it('is as before where its server may ask for nothing', () => {
    const plain = documentOf(LOOK);
    expect([plain, plain.parameters]).toEqual([expect.not.objectContaining({ asks: [] }), LOOK.inputSchema]);
    expect(Object.keys(mcpDefinition(plain).mcp!)).not.toContain('asks');
    expect(mcpDefinition(plain).result.properties).not.toHaveProperty('asks');
  });

  it('has one argument more where its server may ask', () => {
    const asking = documentOf(LOOK, ASKS);
    expect(Value.Check(McpTool, asking)).toBe(true);
    expect(asking.asks).toEqual(ASKS);
    expect(Object.keys(asking.parameters['properties'] as object)).toEqual(['place', MCP_INPUT]);
    expect(mcpDefinition(asking).mcp?.asks).toEqual(ASKS);
    expect(mcpDefinition(asking).result.properties).toHaveProperty('asks');
  });

  it('is offered to models without the argument, whose name their APIs refuse', () => {
    const offered = offeredDefinition(mcpDefinition(documentOf(LOOK, ASKS)));
    expect(offered.parameters).toEqual(LOOK.inputSchema);
    const plain = mcpDefinition(documentOf(LOOK));
    expect(offeredDefinition(plain)).toBe(plain);
  });

  it('has the argument for the two requests beside tools that a server may answer with a question', () => {
    const requests = serverRequests({ resources: {}, prompts: {}, completions: {} });
    const asking = requests.filter((request) => documentOf(request, ASKS).asks !== undefined);
    expect(asking.map(({ name }) => name)).toEqual(['resources/read', 'prompts/get']);
    const [read, get] = asking.map((request) => documentOf(request, ASKS));
    expect(faultsOf(read!, { uri: 'a:1', [MCP_INPUT]: INPUT })).toEqual([]);
    expect(faultsOf(get!, { name: 'p', arguments: { a: '1' }, [MCP_INPUT]: INPUT })).toEqual([]);
    expect(faultsOf(read!, { [MCP_INPUT]: INPUT })).toEqual(['']);
    const [list] = requests.map((request) => documentOf(request, ASKS));
    expect(faultsOf(list!, { [MCP_INPUT]: INPUT })).toContain(AT);
  });

  it('has none for a tool that has an argument of that name', () => {
    const own = { ...LOOK, inputSchema: { type: 'object', properties: { [MCP_INPUT]: { type: 'string' } } } };
    expect(documentOf(own, ASKS)).not.toHaveProperty('asks');
    expect(remoteProblems(own).map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
      `/inputSchema names the argument \`${MCP_INPUT}\`, which is Writ's own for answers to a server`,
    ]);
    // The server's own schema decides what the argument is that an administrator accepted before.
    expect(faultsOf(documentOf(own), { [MCP_INPUT]: 'x' })).toEqual([]);
  });
});

describe('arguments', () => {
  const asking = documentOf(LOOK, ASKS);

  it("pass with answers, which the server's schema neither sees nor counts", () => {
    expect(faultsOf(asking, { place: 'x', [MCP_INPUT]: INPUT })).toEqual([]);
    expect(faultsOf(asking, { place: 'x' })).toEqual([]);
    expect(faultsOf(asking, { [MCP_INPUT]: INPUT })).toEqual(['']);
    const filled = { ...LOOK, inputSchema: { type: 'object', minProperties: 1 } };
    expect(faultsOf(documentOf(filled, ASKS), { [MCP_INPUT]: INPUT })).toEqual(['']);
  });

  it.each([
    ['a capability that the server may not use', { capabilities: ['roots'] }, `${AT}/capabilities/0`],
    ['no capabilities', {}, AT],
    ['another member', { capabilities: [], more: 1 }, `${AT}/more`],
    ['a state of more than its bound', { capabilities: [], state: 'x'.repeat(16_385) }, `${AT}/state`],
    ['an answer that is no object', { capabilities: [], responses: { a: 1 } }, `${AT}/responses/a`],
    ['null', null, AT],
  ])('are refused with %s', (_what, input, at) => {
    expect(faultsOf(asking, { place: 'x', [MCP_INPUT]: input })).toEqual([at]);
  });

  it.each([
    ['closed', LOOK],
    ['open', { ...LOOK, inputSchema: { type: 'object' } }],
  ])('are refused with answers where the server may not ask, with a schema that is %s', (_what, tool) => {
    expect(faultsOf(documentOf(tool), { place: 'x', [MCP_INPUT]: INPUT })).toContain(AT);
  });

  it('lose the answers on the way to the server, and declare no more than both sides agree on', () => {
    const args = { place: 'x', [MCP_INPUT]: { ...INPUT, capabilities: ['elicitation', 'roots'] } };
    expect(inputOf({ asks: ASKS }, args)).toEqual({ args: { place: 'x' }, input: INPUT });
    expect(inputOf({ asks: ASKS }, { place: 'x' })).toEqual({ args: { place: 'x' }, input: null });
    expect(inputOf({}, args)).toEqual({ args, input: null });
  });
});

it('a schema names the argument at any depth, as a name or as a word', () => {
  expect(namesInput({ allOf: [{ properties: { [MCP_INPUT]: true } }] })).toBe(true);
  expect(namesInput({ required: [MCP_INPUT] })).toBe(true);
  expect(namesInput(LOOK.inputSchema)).toBe(false);
});
