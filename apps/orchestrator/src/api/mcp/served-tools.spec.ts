// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import { TOOLS, type TenantTool, type ToolDefinition } from '@writ/contract';
import { McpPrompts } from './mcp-prompts.ts';
import { ServedTools } from './served-tools.ts';

const tenantTool = (tool_id: string): ToolDefinition =>
  tenantDefinition({
    v: 1,
    tool_id,
    version: 1,
    description: 'Looks.',
    category: 'read',
    cmd: 'ls',
    args: [],
    parameters: {},
    optional_args: [],
    env: [],
    limits: { wall_ms: 1_000 },
  } as unknown as TenantTool);

const access = { caller: {}, tokenId: 'cap', catalogue: 'all' } as never;
const offered = (tools: readonly ToolDefinition[], skills: readonly object[] = []) => ({
  of: () => Promise.resolve({ tools, chain: [{ tools: ['*'], fs: [], net: [], secrets: [] }], skills } as never),
});
const served = (tools: readonly ToolDefinition[]): ServedTools =>
  new ServedTools(
    { offers: offered(tools), calls: {}, ids: { of: (_: never, id: string) => Promise.resolve(id) } } as never,
    access,
  );

it('a list of many tools has pages, each tool on one, and makes entries only of the page', async () => {
  const tools = Array.from({ length: 120 }, (_, n) => tenantTool(`t.n${String(n).padStart(3, '0')}`));
  let read = 0;
  const watched = tools.map((tool) => ({
    ...tool,
    get parameters() {
      read += 1;
      return tool.parameters;
    },
  }));
  const names: string[] = [];
  for (let cursor: string | undefined, page = 1; page < 10; page += 1) {
    read = 0;
    const list = await served(watched).list(cursor);
    expect(list.tools.length).toBeLessThanOrEqual(50);
    expect(read).toBeLessThanOrEqual(50);
    names.push(...list.tools.map(({ name }) => name));
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  expect(names).toEqual([
    'operations_cancel',
    'operations_wait',
    ...tools.map(({ tool_id }) => tool_id.replace('.', '_')),
  ]);
  read = 0;
  await served(watched).list(undefined);
  expect(read).toBe(0);
});

it("lists Writ's own tools and a tenant's under different names, with the ids as titles", async () => {
  const { tools } = await served([...TOOLS.values(), tenantTool('fs_read'), tenantTool('gh.pr')]).list(undefined);
  const byTitle = new Map(tools.map(({ title, name }) => [title, name]));
  expect(byTitle.get('fs.read')).toBe('fs_read');
  expect(byTitle.get('fs_read')).toMatch(/^fs_read_[0-9a-f]{8}$/);
  expect(byTitle.get('gh.pr')).toBe('gh_pr');
});

it('a list of many prompts has pages, each prompt on one', async () => {
  const skills = Array.from({ length: 70 }, (_, n) => ({ name: `s${String(n).padStart(2, '0')}`, description: 'x' }));
  const prompts = new McpPrompts(offered([], skills.toReversed()) as never, {} as never);
  const first = await prompts.list(access, undefined);
  expect([first.prompts.length, first.nextCursor]).toEqual([50, 's49']);
  const second = await prompts.list(access, first.nextCursor);
  expect([second.prompts.length, second.nextCursor]).toEqual([20, undefined]);
  expect([...first.prompts, ...second.prompts].map(({ name }) => name)).toEqual(skills.map(({ name }) => name));
});
