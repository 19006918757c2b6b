// SPDX-License-Identifier: Apache-2.0
// The client of Python as its users install it, and the lines of the README as they stand. Skipped by name where Python
// 3.10 or the packages can't be had.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { PythonPackage, wheelBuilder } from '../python-package.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const linesOf = (readme: string): string =>
  /```python\n([^]*?)```/.exec(readFileSync(join(repositoryRoot(), readme), 'utf8'))?.[1] ?? '';
const lines = linesOf('README.md');

it('the README has eleven lines of Python, and that of the Python client the same', () => {
  expect(lines.trim().split('\n')).toHaveLength(11);
  expect(linesOf('sdk/python/README.md')).toBe(lines);
});

const builder = await wheelBuilder();

describe.skipIf(builder === null)('the Python client (skipped without Python 3.10, venv and pip)', () => {
  let stack: SharedStack;
  let client: PythonPackage;
  beforeAll(async () => {
    [stack, client] = await Promise.all([sharedStack(), PythonPackage.install(builder!.python)]);
    client.write('writ-keys.json', readFileSync(stack.keys.publicKeysFile, 'utf8'));
  });
  afterAll(() => client?.remove());

  const newWorld = (): Promise<World> =>
    makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': 'a repository\n', 'src/a.txt': 'one\n' } });
  const keysOf = ({ agent, operator }: World): Record<string, string> => ({
    WRIT_URL: stack.url,
    WRIT_AGENT_KEY: agent.key ?? '',
    WRIT_OPERATOR_KEY: operator.key ?? '',
  });

  it('the lines of the README work as they stand: a call, an approved one, and its receipt', async () => {
    const world = await newWorld();
    client.write('readme.py', lines);
    const output = await client.run('readme.py', keysOf(world));
    expect(output).toContain('a repository');
    expect(output.trim().split('\n').at(-1)).toBe('committed');
    expect(await world.file('src/a.txt')).toBeNull();
  });

  it('the client that awaits does the same, pages lists, and says why a call was refused', async () => {
    const world = await newWorld();
    client.write('program.py', PROGRAM);
    const output = await client.run('program.py', { ...keysOf(world), WRIT_ADMIN_KEY: world.admin.key ?? '' });
    expect(JSON.parse(output)).toEqual({
      outcomes: ['held', 'denied', 'refused'],
      code: 'approval.denied',
      expectation: 'expectation',
      tools: ['fs.read', 'fs.read', 'shell.run'],
      file: 'one\n',
      events: ['ready', 'end'],
    });
    expect(await world.file('src/a.txt')).toBe('one\n');
  });
});

const PROGRAM = `
import asyncio, contextlib, dataclasses, json, os, pathlib
from writ import AsyncClient, CallRefusedError, ReceiptVerificationError
KEYS = pathlib.Path("writ-keys.json").read_text()

async def deny(person):
    async with contextlib.aclosing(person.approvals.pending()) as approvals:
        async for approval in approvals:
            await person.approvals.deny(approval, {"comment": "no"})
            return "denied"

async def main():
    url = os.environ["WRIT_URL"]
    async with AsyncClient(url, os.environ["WRIT_AGENT_KEY"]) as agent, \\
            AsyncClient(url, os.environ["WRIT_OPERATOR_KEY"]) as person, \\
            AsyncClient(url, os.environ["WRIT_ADMIN_KEY"]) as admin:
        denied = asyncio.create_task(deny(person))
        read = await agent.call("fs.read", {"path": "src/a.txt"})
        again = await agent.call("fs.read", {"path": "README.md"})
        risky = await agent.call("shell.run", {"command": "rm -rf src"})
        outcomes = [risky.outcome, await denied]
        try:
            await risky.result()
        except CallRefusedError as error:
            code = error.code
        outcomes.append((await risky.settled()).outcome)
        receipt, other = await read.receipt(), await again.receipt()
        receipt.verify(KEYS)
        try:
            dataclasses.replace(receipt, text=other.text).verify(KEYS)
        except ReceiptVerificationError as error:
            expectation = error.check
        tools = [operation.tool_id async for operation in agent.operations.list(limit=2)]
        download = await admin.workspaces.download_file((await read.operation()).workspace_id, "src/a.txt")
        events = [event.event async for event in person.events.follow(for_ms=300)]
        print(json.dumps({
            "outcomes": outcomes, "code": code, "expectation": expectation, "tools": sorted(tools),
            "file": await download.text(), "events": [events[0], events[-1]],
        }))

asyncio.run(main())
`;
