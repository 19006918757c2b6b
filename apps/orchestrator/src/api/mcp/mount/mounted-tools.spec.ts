// SPDX-License-Identifier: Apache-2.0
import type { McpRemoteTool, ToolDefinition } from '@writ/contract';
import { acceptedTool, mcpDefinition, remoteDigest } from '@writ/mcp-tool';
import { MountedTools } from './mounted-tools.ts';
import type { PinnedTool } from './remote-tools.ts';

const remoteTool = (name: string): McpRemoteTool => ({ name, inputSchema: { type: 'object' } });
const definitionOf = (server: string, tool: McpRemoteTool, at: number): ToolDefinition =>
  mcpDefinition({ ...acceptedTool({ name: server, digest: 'd'.repeat(64) }, `t${at}`, tool, 'read'), version: 1 });

/** A mount of the server `x`, whose tools have these names. The token grants those that `granted` matches. */
function mountOf(names: readonly string[], granted = 'mcp.x.*', called: PinnedTool | null = null) {
  const tools = names.map((name, at) => definitionOf('x', remoteTool(name), at));
  const other = definitionOf('y', remoteTool('other'), 0);
  const chain = [{ tools: [granted, 'mcp.y.*'], fs: [], net: [], secrets: [] }];
  const resources = ['x', 'y'].map((name) => ({ kind: 'mcp_server', name }));
  const asked: number[] = [];
  const made = (of: string) => (context: { id?: string }, params: unknown) =>
    Promise.resolve([of, context.id, (params as { name?: string }).name ?? params]);
  const parts = {
    calls: { run: made('run'), wait: made('wait'), cancel: made('cancel') },
    offers: { of: () => Promise.resolve({ tools: [...tools, other], chain, resources }) },
    remote: {
      isUsable: () => Promise.resolve(names.length > 0),
      definitions: (_caller: object, _server: string, pinned: readonly PinnedTool[]) => {
        asked.push(pinned.length);
        const found = pinned.map(({ tool_id, digest }) => {
          const tool = names.map(remoteTool).find((one) => remoteDigest(one) === digest);
          return [tool_id, tool] as const;
        });
        return Promise.resolve(new Map(found));
      },
    },
  };
  return { mount: new MountedTools(parts as never, { caller: {}, tokenId: 'cap' } as never, 'x', called), asked };
}

it('a list of many tools has pages, each tool on one, and those of Writ on the last', async () => {
  const names = Array.from({ length: 120 }, (_, n) => `n/${String(n).padStart(3, '0')}`);
  const { mount, asked } = mountOf(names.toReversed());
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await mount.list(cursor);
    seen.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual([...names, 'operations_wait', 'operations_cancel']);
  expect(asked).toEqual([50, 50, 20]);
});

it('a tool of the server that has the name of one of Writ takes its place, whether or not it is granted', async () => {
  for (const granted of ['mcp.x.*', 'mcp.x.t0']) {
    const { tools } = await mountOf(['look', 'operations_wait'], granted).mount.list(undefined);
    const served = granted === 'mcp.x.*' ? ['look', 'operations_wait'] : ['look'];
    expect(tools.map(({ name }) => name)).toEqual([...served, 'operations_cancel']);
    expect(tools.find(({ name }) => name === 'operations_wait')?.description).toBeUndefined();
  }
});

it('a list of a server that is not there, or not for this agent, is none', async () => {
  await expect(mountOf([]).mount.list(undefined)).rejects.toMatchObject({ data: { code: 'not_found' } });
  const { tools } = await mountOf(['look'], 'mcp.x.other').mount.list(undefined);
  expect(tools.map(({ name }) => name)).toEqual(['operations_wait', 'operations_cancel']);
});

it.each([
  ['in force', 'mcp.x.*'],
  ['in force but not granted', 'mcp.x.other'],
])('a call of a name that one of Writ has reaches the tool of the server that is %s', async (_what, granted) => {
  const called = { tool_id: 'mcp.x.t0', digest: '0'.repeat(64) };
  const { mount } = mountOf(['operations_wait'], granted, called);
  const answer = await mount.call((asked) => asked as never, { name: 'operations_wait' });
  expect(answer).toEqual(['run', 'mcp.x.t0', 'mcp.x.t0']);
});

it('a tool of the server that is out of force hides none of Writ, in a list as in a call', async () => {
  const called = { tool_id: 'mcp.x.t0', digest: '0'.repeat(64) };
  const { mount } = mountOf(['look'], 'mcp.x.*', called);
  const { tools } = await mount.list(undefined);
  expect(tools.map(({ name }) => name)).toEqual(['look', 'operations_wait', 'operations_cancel']);
  for (const of of ['wait', 'cancel']) {
    const params = { name: `operations_${of}`, arguments: { operation_id: 'op_1' } };
    const [ran, id, operation] = (await mount.call((asked) => asked as never, params)) as unknown as string[];
    expect([ran, operation]).toEqual([of, 'op_1']);
    expect(id).not.toBe(called.tool_id);
  }
  const refused = await mount.call((asked) => asked as never, { name: 'gone' });
  expect(refused).toEqual(['run', 'mcp.x.t0', 'mcp.x.t0']);
});

it.each(['', 'x'.repeat(129)])('%j is no cursor, and no name of a tool', async (name) => {
  const { mount } = mountOf([]);
  await expect(mount.list(name)).rejects.toThrow('the cursor');
  await expect(mount.call(() => ({}) as never, { name })).rejects.toThrow('no name of a tool');
});
