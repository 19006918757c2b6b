// SPDX-License-Identifier: Apache-2.0
// The official inspector of MCP, as a program on the command line, against `/mcp` in both revisions. Skipped by name
// where it can't be installed.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeWorld, sharedStack, verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';
import { npmPackages, repositoryRoot } from '@writ/testing';
import { vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const inspector = await npmPackages('inspector', join(repositoryRoot(), 'tests', 'e2e', 'src', 'inspector'));

describe.skipIf(inspector === null)('the inspector of MCP (skipped where npm can not install it)', () => {
  let stack: SharedStack;
  let world: World;

  beforeAll(async () => {
    stack = await sharedStack();
    world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'notes.txt': 'hello\n' } });
  });

  /** What it prints of the answer to one request. */
  async function ask(era: string, ...request: readonly string[]): Promise<JsonValue> {
    const server = ['--server-url', `${stack.url}/mcp/${world.tokenId}`, '--transport', 'http', '--protocol-era', era];
    const header = ['--header', `Authorization: Bearer ${world.agent.key!}`];
    const program = join(inspector!, 'node_modules', '.bin', 'mcp-inspector');
    const args = [program, '--cli', ...server, ...header, '--format', 'json', ...request];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    return (JSON.parse(stdout) as { readonly result: JsonValue }).result;
  }

  it.each(['modern', 'legacy'])('lists the tools and calls one in the era %s, with a receipt', async (era) => {
    const listed = await ask(era, '--method', 'tools/list');
    const names = (listed.tools as JsonValue[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fs_read', 'fs_write', 'operations_wait']));
    const called = await ask(era, '--method', 'tools/call', '--tool-name', 'fs_read', '--tool-arg', 'path=notes.txt');
    expect(called.structuredContent).toMatchObject({ state: 'no_op', result: { content: 'hello\n' } });
    const { operation_id } = called.structuredContent as JsonValue;
    const { record } = await verifiedReceipt(stack, world, operation_id as string, 'outcome');
    const { provenance } = record as { readonly provenance: { readonly source: string; readonly client?: string } };
    expect(provenance.source).toBe('mcp');
    // Only in the stateless revision each request names its client.
    expect(provenance.client !== undefined).toBe(era === 'modern');
  });
});
