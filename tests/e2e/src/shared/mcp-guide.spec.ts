// SPDX-License-Identifier: Apache-2.0
// Every command, configuration and program of docs/how-to/mcp.md works as the guide says.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { vi } from 'vitest';
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { GuideFolder } from '../guide.ts';
import { ERAS } from '../mcp-client.ts';
import { isMount, mcpGuideBlocks, type ConfiguredServer } from '../mcp-guide-blocks.ts';
import { pythonClient } from '../python-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const python = await pythonClient();

let stack: SharedStack;
let world: World;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': 'the words of the file\n' } });
});

/** The blocks of the guide in a language, as a reader would fill them in. */
const blocks = (language: string): string[] =>
  mcpGuideBlocks(language, { url: stack.url, tokenId: world.tokenId, key: world.agent.key! });

/** What a client does with one configuration. */
function transportOf({ url, headers = {}, command, args = [], env = {} }: ConfiguredServer): Transport {
  if (url !== undefined) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  expect(command).toBe('/path/to/node');
  const filled = args.map((arg) => arg.replace('/path/to/writ', repositoryRoot()));
  return new StdioClientTransport({ command: process.execPath, args: filled, env, stderr: 'ignore' });
}

it('each command shows what the guide says', async () => {
  const folder = await GuideFolder.open(stack);
  try {
    const said = await folder.run('how-to/mcp.md');
    expect(said).toMatch(/\/mcp\/cap_\w+\n/);
    expect(said).toContain('"result":{}');
    expect(said).toContain('"name":"fs_read"');
  } finally {
    folder.remove();
  }
});

it.each(ERAS)('each configuration connects a client of the revision %s', async (era) => {
  // That of a mount needs an MCP server: tests/e2e/src/mcp-conformance.spec.ts connects it.
  const configurations = blocks('json')
    .filter((block) => !isMount(block))
    .map(
      (block) => JSON.parse(block) as { mcpServers?: { writ: ConfiguredServer }; servers?: { writ: ConfiguredServer } },
    );
  expect(configurations).toHaveLength(4);
  for (const { mcpServers, servers } of configurations) {
    const client = new Client({ name: 'a client', version: '1' }, { versionNegotiation: { mode: era } });
    await client.connect(transportOf((mcpServers ?? servers)!.writ));
    try {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toContain('fs_read');
      // Claude Desktop, Cursor and the Copilot CLI reject every other name.
      expect(names.filter((name) => !/^[A-Za-z0-9_]{1,64}$/.test(name))).toEqual([]);
      const read = await client.callTool({ name: 'fs_read', arguments: { path: 'README.md' } });
      expect(read.structuredContent).toMatchObject({ result: { content: 'the words of the file\n' } });
      const { contents } = await client.readResource({ uri: 'writ://workspace/README.md' });
      expect(contents).toMatchObject([{ text: 'the words of the file\n' }]);
    } finally {
      await client.close();
    }
  }
});

it('the program in TypeScript reads the file', async () => {
  const [program = ''] = blocks('js');
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(repositoryRoot(), 'tests/e2e'),
    env: { WRIT_API_KEY: world.agent.key },
  });
  expect(stdout).toContain('the words of the file');
});

it.skipIf(python === null)('the program in Python reads the file (skipped without python3 and pip)', async () => {
  const [program = ''] = blocks('python');
  const { stdout } = await promisify(execFile)('python3', ['-c', program], {
    env: { PATH: process.env['PATH'], PYTHONPATH: python!, WRIT_API_KEY: world.agent.key },
  });
  expect(stdout).toContain('the words of the file');
});
