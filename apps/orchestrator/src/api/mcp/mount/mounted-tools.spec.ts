// SPDX-License-Identifier: Apache-2.0
import type { McpRemoteTool, ToolDefinition } from '@writ/contract';
import { acceptedTool, mcpDefinition, remoteDigest } from '@writ/mcp-tool';
import { MountedTools } from './mounted-tools.ts';
import type { PinnedTool } from './remote-tools.ts';

const remoteTool = (name: string): McpRemoteTool => ({ name, inputSchema: { type: 'object' } });
const definitionOf = (server: string, tool: McpRemoteTool, at: number): ToolDefinition =>
  mcpDefinition({ ...acceptedTool({ name: server, digest: 'd'.repeat(64) }, `t${at}`, tool, 'read'), version: 1 });

/** A mount of the server `x`, whose tools have these names. The token grants those that `granted` matches. */
function mountOf(names: readonly string[], granted = 'mcp.x.*') {
  const tools = names.map((name, at) => definitionOf('x', remoteTool(name), at));
  const other = definitionOf('y', remoteTool('other'), 0);
  const chain = [{ tools: [granted, 'mcp.y.*'], fs: [], net: [], secrets: [] }];
  const resources = ['x', 'y'].map((name) => ({ kind: 'mcp_server', name }));
  const asked: number[] = [];
  const parts = {
    offers: { of: () => Promise.resolve({ tools: [...tools, other], chain, resources }) },
    remote: {
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
  return { mount: new MountedTools(parts as never, { caller: {}, tokenId: 'cap' } as never, 'x', null), asked };
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

it.each(['', 'x'.repeat(129)])('%j is no cursor, and no name of a tool', async (name) => {
  const { mount } = mountOf([]);
  await expect(mount.list(name)).rejects.toThrow('the cursor');
  await expect(mount.call(() => ({}) as never, { name })).rejects.toThrow('no name of a tool');
});
