// SPDX-License-Identifier: Apache-2.0
import { McpTool } from '@writ/contract';
import { Value } from 'typebox/value';
import { acceptedTool } from './accepted-tool.ts';
import { remoteDigest, remoteProblems, suggestedCategory } from './remote-tool.ts';
import { isServerRequest, serverRequestDigest, serverRequests } from './server-requests.ts';

const ALL = serverRequests({ resources: {}, prompts: { listChanged: true }, completions: {} });

it('each request of a server is a tool that can be accepted, and that only reads', () => {
  expect(ALL.map(({ name }) => name)).toEqual([
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
  ]);
  for (const definition of ALL) {
    expect(remoteProblems(definition)).toEqual([]);
    expect(suggestedCategory(definition)).toBe('read');
    const tool = acceptedTool({ name: 'docs', digest: 'd'.repeat(64) }, 'local', definition, 'read');
    expect(Value.Check(McpTool, { ...tool, version: 1 })).toBe(true);
    if (!isServerRequest(definition.name)) throw new Error(definition.name);
    expect(serverRequestDigest(definition.name)).toBe(remoteDigest(definition));
  }
});

it('a server has the requests of the capabilities that it declares, and no others', () => {
  expect(serverRequests({ tools: {}, logging: {} })).toEqual([]);
  expect(serverRequests({ prompts: {}, resources: undefined }).map(({ name }) => name)).toEqual([
    'prompts/list',
    'prompts/get',
  ]);
  expect(isServerRequest('tools/call')).toBe(false);
});
