// SPDX-License-Identifier: Apache-2.0
import { localNames, mcpToolId, requestName, unlistedName } from './names.ts';
import { SERVER_REQUEST_NAMES } from './server-requests.ts';

const named = (names: readonly string[], assigned: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(localNames(names, new Map(Object.entries(assigned))));

describe('the names of the tools of a server', () => {
  it('are those of the server where ids may have them, capitals and hyphens included', () => {
    expect(named(['create-issue', 'getOrder', 'a_b'])).toEqual({
      'create-issue': 'create-issue',
      getOrder: 'getOrder',
      a_b: 'a_b',
    });
    expect(mcpToolId('github', 'create-issue')).toBe('mcp.github.create-issue');
  });

  it('have `_` for every other character, and a digest where that would make one name of two', () => {
    const names = named(['a.b', 'a_b', 'a/b', 'größe', 'x']);
    expect(names).toMatchObject({ a_b: 'a_b', größe: 'gr__e', x: 'x' });
    expect(names['a.b']).toMatch(/^a_b_[0-9a-f]{8}$/);
    expect(names['a/b']).toMatch(/^a_b_[0-9a-f]{8}$/);
    expect(new Set(Object.values(names)).size).toBe(5);
  });

  it('are cut with a digest where they are longer than 64 characters', () => {
    const [long, other] = [`${'a'.repeat(80)}1`, `${'a'.repeat(80)}2`];
    const names = named([long, other, 'b'.repeat(64)]);
    expect(names[long]).toMatch(/^a{55}_[0-9a-f]{8}$/);
    expect(names[other]).not.toBe(names[long]);
    expect(names['b'.repeat(64)]).toBe('b'.repeat(64));
  });

  it('stay once they are assigned, whatever the server lists later', () => {
    const before = named(['a.b']);
    expect(before).toEqual({ 'a.b': 'a_b' });
    const after = named(['a_b', 'a.b'], before);
    expect(after['a.b']).toBe('a_b');
    expect(after['a_b']).toMatch(/^a_b_[0-9a-f]{8}$/);
  });

  it('never are those of requests of MCP, which have the same name at every server', () => {
    const request = { 'resources/read': 'resources_read' };
    for (const tool of ['resources_read', 'resources.read', 'resources read']) {
      for (const names of [named([tool, 'resources/read']), { ...named([tool]), ...named(['resources/read']) }])
        expect(names).toEqual({ ...request, [tool]: expect.stringMatching(/^resources_read_[0-9a-f]{8}$/) as unknown });
    }
    for (const name of SERVER_REQUEST_NAMES) expect(named([name])).toEqual({ [name]: requestName(name) });
  });

  it('stay those of tools that had them first, and then the request has none', () => {
    const before = { resources_read: 'resources_read' };
    expect(named(['resources/read', 'resources_read'], before)).toEqual(before);
  });

  it("don't depend on the order in which the server lists them", () => {
    const names = ['b c', 'b_c', 'b.c', 'z'];
    expect(named(names)).toEqual(named([...names].reverse()));
  });
});

it('the name of a tool that was never listed is the name of none that can be, and its id is one', () => {
  for (const remote of ['a', 'a/b', 'x'.repeat(128), 'ü', '']) {
    const name = unlistedName(remote);
    expect(name.length).toBeGreaterThan(64);
    expect(mcpToolId(`a${'b'.repeat(31)}`, name)).toMatch(/^mcp\.[a-z]+\.[A-Za-z0-9_-]+$/);
    expect(mcpToolId(`a${'b'.repeat(31)}`, name).length).toBeLessThanOrEqual(128);
  }
  expect(unlistedName('a/b')).not.toBe(unlistedName('a.b'));
});
