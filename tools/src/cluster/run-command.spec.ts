// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun, runCommand } from './run-command.ts';

const env = { PATH: '/usr/bin:/bin' };

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-command-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

test('a program gets its input as text or from a file, and only the given environment', async () => {
  expect(await runCommand(['cat'], { env, input: 'text' })).toEqual({ status: 0, stdout: 'text', stderr: '' });
  writeFileSync(join(dir, 'input'), 'from a file');
  expect((await runCommand(['cat'], { env, inputFile: join(dir, 'input') })).stdout).toBe('from a file');
  expect((await runCommand(['env'], { env })).stdout).toBe('PATH=/usr/bin:/bin\n');
});

test('the status decides for a program that ends without reading its input', async () => {
  expect((await runCommand(['false'], { env, input: 'x'.repeat(1_000_000) })).status).toBe(1);
});

test('a program that is missing or takes too long has failed', async () => {
  expect((await runCommand(['/nowhere/program'], { env })).status).toBe(-1);
  expect((await runCommand(['sleep', '60'], { env, timeoutMs: 50 })).status).toBe(-1);
});

test('a failure names the task, the command and its output', async () => {
  await expect(
    mustRun('list the thing', ['sh', '-c', 'echo no such thing >&2; exit 3'], { env }),
  ).rejects.toMatchObject({
    name: 'SetupError',
    message: expect.stringMatching(/^could not list the thing: `sh -c .*` ended with status 3$/),
    details: ['no such thing'],
  });
});

test('a failure says how a program was ended that did not end by itself', async () => {
  await expect(mustRun('wait', ['sleep', '60'], { env, timeoutMs: 50 })).rejects.toThrow(
    /^could not wait: `sleep 60` was ended after \d+ ms: SIGKILL$/,
  );
  await expect(mustRun('start', ['/nowhere/program'], { env })).rejects.toThrow(/was ended after \d+ ms: .*ENOENT$/);
});
