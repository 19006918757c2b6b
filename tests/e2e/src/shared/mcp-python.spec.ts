// SPDX-License-Identifier: Apache-2.0
// The official Python client of MCP against `/mcp`, in both revisions. Skipped by name where it can't be installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  approveShown,
  eventually,
  makeWorld,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { pythonClient } from '../python-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const path = await pythonClient();

describe.skipIf(path === null)('the Python client (skipped without python3 and pip)', () => {
  let stack: SharedStack;
  let world: World;

  beforeAll(async () => {
    stack = await sharedStack();
    world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'notes.txt': 'hello\n' } });
  });

  /** Starts a client. Each value that it is sent is answered by a line. */
  async function client(mode: string) {
    const program = join(repositoryRoot(), 'tests', 'e2e', 'src', 'mcp-client.py');
    const child = spawn('python3', [program, `${stack.url}/mcp/${world.tokenId}`, mode], {
      env: { PATH: process.env['PATH'], PYTHONPATH: path!, WRIT_API_KEY: world.agent.key },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const problems: string[] = [];
    child.stderr.on('data', (part) => problems.push(String(part)));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<JsonValue> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the client ended: ${problems.join('')}`);
      return JSON.parse(value) as JsonValue;
    };
    return {
      next,
      send: (asked: object) => child.stdin.write(`${JSON.stringify(asked)}\n`),
      ended: async (): Promise<number> => {
        child.stdin.end();
        return ((await once(child, 'close')) as [number])[0];
      },
    };
  }

  it.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ])('lists, writes and reads in the mode %s, with receipts', async (mode, revision) => {
    const python = await client(mode);
    expect(await python.next()).toMatchObject({
      revision,
      tools: expect.arrayContaining(['fs_read', 'fs_write', 'operations_wait']),
    });
    python.send({ tool: 'fs_write', arguments: { path: `${mode}.txt`, content: 'by Python' } });
    const written = (await python.next()).structuredContent as JsonValue;
    expect(written).toMatchObject({ state: 'committed', error: null });
    expect(await world.file(`${mode}.txt`)).toBe('by Python');
    const { record } = await verifiedReceipt(stack, world, written.operation_id as string, 'outcome');
    expect((record as JsonValue).provenance).toMatchObject({ source: 'mcp' });
    python.send({ uri: 'writ://workspace/notes.txt' });
    expect(await python.next()).toMatchObject({ contents: [{ text: 'hello\n' }] });
    expect(await python.ended()).toBe(0);
  });

  it('its user is asked about a held call, and only a person approves it', async () => {
    await world.call('fs.write', { path: 'folder/x.txt', content: 'x' });
    const python = await client('auto');
    await python.next();
    python.send({ tool: 'shell_run', arguments: { command: 'rm -rf folder' } });
    expect(await python.next()).toMatchObject({ asked: expect.stringContaining('shell.run') });
    expect(await world.file('folder/x.txt')).toBe('x');
    const approval = await eventually('a held call', async () => {
      const { body } = await world.operator.get('/v1/approvals?state=pending');
      return (body.items as JsonValue[])[0];
    });
    expect((await approveShown(world.operator, approval.approval_id)).status).toBe(200);
    expect((await python.next()).structuredContent).toMatchObject({ state: 'committed' });
    expect(await python.ended()).toBe(0);
  });
});
