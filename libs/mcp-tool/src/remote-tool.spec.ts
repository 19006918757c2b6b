// SPDX-License-Identifier: Apache-2.0
import { bindTool, definitionForDigest, McpTool, type McpRemoteTool } from '@writ/contract';
import { Value } from 'typebox/value';
import { acceptedTool } from './accepted-tool.ts';
import { mcpDefinition, mcpResultFaults } from './definition.ts';
import { defaultCategory, parametersOf, remoteDigest, remoteProblems, suggestedCategory } from './index.ts';

const LOOK: McpRemoteTool = {
  name: 'look',
  description: 'Looks at a place',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};
const GITHUB = { name: 'github', digest: 'd'.repeat(64) };
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

describe('the digest of a definition', () => {
  it('covers each of the six members, and nothing else', () => {
    const changes: Partial<McpRemoteTool>[] = [
      { name: 'look2' },
      { title: 'Look' },
      { description: 'Looks at a place.' },
      { inputSchema: { type: 'object' } },
      { outputSchema: { type: 'object' } },
      { annotations: { readOnlyHint: true } },
    ];
    const digests = changes.map((change) => remoteDigest({ ...LOOK, ...change }));
    expect(new Set([remoteDigest(LOOK), ...digests]).size).toBe(changes.length + 1);
    expect(remoteDigest({ ...LOOK, _meta: { a: 1 } } as McpRemoteTool)).toBe(remoteDigest(LOOK));
  });

  it('is the same for another order of members', () => {
    const { name, description, inputSchema } = LOOK;
    expect(remoteDigest({ inputSchema, description, name })).toBe(remoteDigest(LOOK));
  });

  it('tells an absent member from an empty one', () => {
    expect(remoteDigest({ ...LOOK, annotations: {} })).not.toBe(remoteDigest(LOOK));
  });
});

describe('a definition', () => {
  it('can be accepted where both schemas can be interpreted, of draft-07 too', () => {
    expect(remoteProblems(LOOK)).toEqual([]);
    const old = { ...LOOK.inputSchema, $schema: DRAFT_07 };
    expect(remoteProblems({ ...LOOK, inputSchema: old, outputSchema: { type: 'object' } })).toEqual([]);
    expect(parametersOf(old)).toEqual(LOOK.inputSchema);
  });

  it.each([
    [
      'a schema of a tuple of draft-07',
      { inputSchema: { $schema: DRAFT_07, type: 'object', properties: { a: { items: [{}] } } } },
      '/inputSchema/properties/a/items',
    ],
    [
      'a keyword that is not interpreted',
      { inputSchema: { type: 'object', unevaluatedProperties: false } },
      '/inputSchema/unevaluatedProperties',
    ],
    ['arguments that are no object', { inputSchema: { type: 'string' } }, '/inputSchema/type'],
    ['a result that is no object', { outputSchema: { type: 'array' } }, '/outputSchema/type'],
    ['a text that runs backwards', { description: 'safe \u202Eelif eteled' }, '/description'],
    ['invisible letters', { description: `safe${String.fromCodePoint(0xe0041)}` }, '/description'],
    ['an escape sequence of a terminal', { title: '\u001b[2J' }, '/title'],
    [
      'an invisible character deep in a schema',
      { inputSchema: { type: 'object', properties: { a: { description: 'x\u200Bx' } } } },
      '/inputSchema/properties/a/description',
    ],
    ['a number that no digest has', { annotations: { n: 1e300 } }, '/annotations/n'],
  ])('with %s has a problem at its place', (_what, change, pointer) => {
    expect(
      remoteProblems({ ...LOOK, ...(change as Partial<McpRemoteTool>) }).map((problem) => problem.pointer),
    ).toContain(pointer);
  });

  it('has problems of a bounded size, which show the beginning and the end of a long place', () => {
    const names = Array.from({ length: 20 }, (_, n) => `${String(n)}${'\u200B'.repeat(1_000)}`);
    const nested = Object.fromEntries(names.map((name) => [name, { description: 'x\u200Bx' }]));
    const problems = remoteProblems({ ...LOOK, inputSchema: { type: 'object', properties: nested } });
    expect(problems.length).toBeGreaterThan(1);
    expect(Buffer.byteLength(JSON.stringify(problems))).toBeLessThan(10 * 1024);
    const [long] = remoteProblems({
      ...LOOK,
      inputSchema: { type: 'object', properties: { ['a'.repeat(1_000)]: { description: 'x\u200Bx' } } },
    });
    expect(long?.pointer).toMatch(/^\/inputSchema\/properties\/a{100,}…a+\/description$/);
    expect(long?.pointer).toHaveLength(256);
  });

  it('that takes more than 80 KiB has a problem', () => {
    expect(remoteProblems({ ...LOOK, description: 'x'.repeat(81 * 1024) })[0]?.message).toContain('bytes');
  });
});

describe('the category of a tool', () => {
  it.each([
    [undefined, 'write', 'write'],
    [{ readOnlyHint: true }, 'read', 'write'],
    [{ destructiveHint: true }, 'admin', 'admin'],
    [{ readOnlyHint: true, destructiveHint: true }, 'admin', 'admin'],
    [{ readOnlyHint: 'yes' }, 'write', 'write'],
  ])(
    'for the hints %j is suggested as %s, and is %s unless an administrator says so',
    (annotations, hint, category) => {
      const tool = annotations === undefined ? {} : { annotations };
      expect([suggestedCategory(tool), defaultCategory(tool)]).toEqual([hint, category]);
    },
  );
});

describe('an accepted tool', () => {
  const tool = { ...acceptedTool(GITHUB, 'look', LOOK, 'write'), version: 1 };

  it('is a document that can be stored, and says whose words its description is', () => {
    expect(Value.Check(McpTool, tool)).toBe(true);
    expect(tool).toMatchObject({ tool_id: 'mcp.github.look', description: 'MCP server `github`: Looks at a place' });
    const bare = acceptedTool(GITHUB, 'look', { name: 'look', inputSchema: { type: 'object' } }, 'read');
    expect(Value.Check(McpTool, { ...bare, version: 1 })).toBe(true);
    const long = acceptedTool(
      GITHUB,
      'look',
      { ...LOOK, title: 'x'.repeat(999), description: 'x'.repeat(9_999) },
      'read',
    );
    expect(Value.Check(McpTool, { ...long, version: 1 })).toBe(true);
  });

  it('needs its server, sends everything to it alone, and is pinned by the digest', () => {
    const definition = mcpDefinition(tool);
    expect(definition).toMatchObject({
      class: 'broker',
      needs: 'mcp_server',
      mutating: true,
      mcp: { server: 'github', remote_name: 'look', remote_digest: remoteDigest(LOOK), is_safe: false, output: null },
    });
    expect(definition.targets?.({})).toEqual([
      { kind: 'mcp_server', ref: 'github', right: 'use', pointer: '', implied: true },
    ]);
    const settings = { transport: 'http', url: 'https://mcp.example.org/mcp' };
    const resource = {
      resource_id: 'r',
      kind: 'mcp_server',
      name: 'github',
      owner_agent_id: null,
      settings,
      digest: GITHUB.digest,
    } as const;
    expect(definition.bind?.([resource]).requests?.({})).toEqual([{ method: 'POST', url: settings.url, purpose: '' }]);
  });

  it('is another definition on a server with other settings, and the same on its own', () => {
    const definition = mcpDefinition(tool);
    const on = (digest: string) =>
      JSON.stringify(
        definitionForDigest(
          bindTool(definition, [
            {
              resource_id: 'r',
              kind: 'mcp_server',
              name: 'github',
              owner_agent_id: null,
              settings: { transport: 'http', url: 'https://mcp.example.org/mcp' },
              digest,
            },
          ]),
        ),
      );
    expect(on(GITHUB.digest)).toBe(JSON.stringify(definitionForDigest(definition)));
    expect(on('e'.repeat(64))).not.toBe(on(GITHUB.digest));
  });

  it('checks arguments and results by the schemas of the server', () => {
    const { faults } = mcpDefinition(tool);
    expect(faults?.({ place: 'here' })).toEqual([]);
    expect(faults?.({}).length).toBe(1);
    expect(mcpResultFaults({ type: 'object', required: ['a'] }, {}).length).toBe(1);
  });
});
