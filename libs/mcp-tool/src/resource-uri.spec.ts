// SPDX-License-Identifier: Apache-2.0
import { MCP_ASKS, MCP_INPUT } from '@writ/contract';
import { acceptedTool } from './accepted-tool.ts';
import { mcpDefinition } from './definition.ts';
import { templateProblem, uriProblem } from './resource-uri.ts';
import { mayAsk, serverRequests } from './server-requests.ts';

describe('the address of a resource', () => {
  it.each([
    'draft://seven/a',
    'draft://Seven/A',
    'draft://seven',
    'draft://user:word@seven:5432/a/b/',
    'draft:///a//b',
    'urn:draft:7',
    'file:///C:/work/%C3%9Cbung.txt',
    'https://xn--bcher-kva.example/a%2Fb?c=%27d&e=../f#g',
    'http://[::1]:8080/...',
  ])('may be %j', (uri) => {
    expect([uriProblem(uri), templateProblem(uri)]).toEqual([null, null]);
  });

  it.each([
    ['', /scheme/],
    ['seven/a', /scheme/],
    ['DRAFT://seven/a', /scheme/],
    ['Draft://seven/a', /scheme/],
    [' draft://seven/a', /scheme/],
    ['\u0001draft://seven/a', /scheme/],
    ['dr\naft://seven/a', /scheme/],
    ['draft:\t//seven/a', /characters/],
    ['draft://seven/a ', /characters/],
    ['draft://seven/a\n', /characters/],
    ['draft://seven/a b', /characters/],
    ['draft://seven/\u0130', /characters/],
    ['draft://seven\\a', /characters/],
    ['draft://seven/%', /characters/],
    ['draft://seven/%2', /characters/],
    ['draft://seven/%61', /escapes/],
    ['draft://%73even/a', /escapes/],
    ['draft://seven/a%00', /escapes/],
    ['draft://seven/a%7F', /escapes/],
    ['draft://seven/b%2fa', /escapes/],
    ['draft://seven/b%c3%9C', /escapes/],
    ['draft://seven/%2e%2e/a', /escapes/],
    ['draft://seven/%2E%2E/a', /escapes/],
    ['draft://seven/b/../a', /segment/],
    ['draft://seven/./a', /segment/],
    ['draft://seven/a/..', /segment/],
    ['draft://seven/..?b', /segment/],
    ['draft://seven/b%2F..%5Ca', /segment/],
    ['urn:b/../a', /segment/],
    ['web+draft:/.//seven/a', /segment/],
    ['draft://seven/a?', /empty/],
    ['draft://seven/a#', /empty/],
    ['draft://seven/a?#b', /empty/],
    ['draft://seven:/a', /parser/],
    ['draft://seven:080/a', /parser/],
    ['draft://@seven/a', /parser/],
    ['draft://[::0001]/a', /parser/],
    ['http://seven.example', /parser/],
    ['http:seven.example/', /parser/],
    ['http:///seven.example/', /parser/],
    ['http://SEVEN.example/', /parser/],
    ['http://seven.example:80/', /parser/],
    ['https://seven.example:0443/', /parser/],
    ['http://0x7f.1/', /parser/],
    ['http://127.1/', /parser/],
    ['http://b%C3%BCcher.example/', /parser/],
    ["http://seven.example/?a='b", /parser/],
    ['file://localhost/a', /parser/],
    ['http://a b/', /characters/],
    ['http://seven.example:99999/', /parser/],
  ])('is not %j', (uri, problem) => {
    expect(uriProblem(uri)).toMatch(problem);
    expect(templateProblem(uri)).toBe(uriProblem(uri));
  });
});

describe('a template of addresses', () => {
  it.each([
    'draft://{id}/a',
    'draft://seven{/path*}{?a,b}',
    'http://{host}:{port}/',
    '{+uri}',
    '{scheme}://a',
    'a:{.b}.',
  ])('may be %j', (template) => {
    expect(templateProblem(template)).toBeNull();
    expect(uriProblem(template)).not.toBeNull();
  });

  it.each([
    'DRAFT://{id}',
    'draft://{id',
    'draft://{a b}',
    'draft://{id}/../a',
    'draft://{id}/%2e',
    'draft://{}',
    ' {a}',
  ])('is not %j', (template) => {
    expect(templateProblem(template)).not.toBeNull();
  });
});

describe.each([
  ['asks for nothing', undefined, {}],
  ['may ask', MCP_ASKS, {}],
  ['may ask, and is answered', MCP_ASKS, { [MCP_INPUT]: { capabilities: [], state: 's' } }],
] as const)('the addresses in arguments of requests to a server that %s', (_what, asks, input) => {
  const requests = serverRequests({ resources: {}, completions: {} });
  const faults = (name: string, args: unknown) => {
    const request = requests.find((each) => each.name === name) ?? { name, inputSchema: { type: 'object' } };
    const server = { name: 'docs', digest: 'd'.repeat(64), ...(asks === undefined ? {} : { asks }) };
    const { faults: found } = mcpDefinition({ ...acceptedTool(server, 'local', request, 'read'), version: 1 });
    // The other requests never ask, so they have no such argument.
    const more = mayAsk(name) && typeof args === 'object' && !Array.isArray(args) ? input : {};
    return found!(Array.isArray(args) ? (args as never) : { ...(args as object), ...more }).map((each) => each.pointer);
  };
  const completed = (uri: string) => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'a', value: '' } });

  it('are checked where they are, once all else fits the schema', () => {
    expect(faults('resources/read', { uri: 'draft://seven/a' })).toEqual([]);
    expect(faults('resources/read', { uri: 'DRAFT://seven/a' })).toEqual(['/uri']);
    expect(faults('resources/read', { uri: 'draft://seven/a/%2e%2e/b' })).toEqual(['/uri']);
    expect(faults('resources/read', { uri: 7 })).toEqual(['/uri']);
    expect(faults('resources/read', [])).toHaveLength(1);
    expect(faults('completion/complete', completed('draft://{id}'))).toEqual([]);
    expect(faults('completion/complete', completed('DRAFT://{id}'))).toEqual(['/ref/uri']);
    expect(faults('completion/complete', { ...completed('a:b'), ref: { type: 'ref/prompt', name: 'a' } })).toEqual([]);
    expect(faults('resources/list', { cursor: 'DRAFT://' })).toEqual([]);
    expect(faults('look', { uri: 'DRAFT://' })).toEqual([]);
  });
});
