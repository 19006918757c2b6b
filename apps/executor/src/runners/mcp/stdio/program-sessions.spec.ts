// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import type { SessionDone } from '@writ/mcp-client';
import type { TaskRunner } from '@writ/worker-pool';
import type { McpSessionTasks } from '../../../calls/mcp-tasks.ts';
import type { KeptProcess } from './kept-process.ts';
import { ProgramSessions, type LineOptions } from './program-sessions.ts';

/** The input of a program, which takes what it is given or doesn't. */
class Input extends Duplex {
  isReading = true;
  written = 0;
  override _read(): void {
    // It says nothing.
  }
  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written += bytes.length;
    if (this.isReading) done();
  }
}

let stdio: Input;
let isClosed: boolean;
let process: KeptProcess;
beforeEach(() => {
  stdio = new Input();
  isClosed = false;
  process = {
    stdio,
    sessions: 0,
    handshake: { method: 'server/discover', result: new Uint8Array() },
    ended: Promise.resolve({ result: null, words: Buffer.alloc(0), isCut: false }),
    close: () => Promise.resolve((isClosed = true)),
  } as unknown as KeptProcess;
});
afterEach(() => stdio.destroy());

const sessions = new ProgramSessions({} as TaskRunner<McpSessionTasks>);
const session = {
  tenantId: 't',
  signal: new AbortController().signal,
  timeoutMs: () => 1_000,
  mayCall: true,
  named: [],
};
/** A session whose thread writes these lines, and then ends so. */
const run = (done: SessionDone<number>, lines: readonly { readonly method: string }[]) =>
  sessions.run(
    process,
    { ...session, announce: () => Promise.resolve() },
    false,
    async (_pool, { port }: LineOptions) => {
      port.postMessage({ kind: 'open' });
      for (const line of lines)
        port.postMessage({
          kind: 'write',
          bytes: new TextEncoder().encode(`${JSON.stringify(line)}\n`),
          isCall: line.method === 'tools/call',
        });
      await vi.waitFor(() => expect(stdio.written > 0).toBe(lines.length > 0));
      return done;
    },
  );
const CALL = { jsonrpc: '2.0', id: '1.1', method: 'tools/call' };
const LIST = { jsonrpc: '2.0', id: '1.2', method: 'tools/list' };
const failed = (reason: 'changed' | 'failed'): SessionDone<number> => ({ failed: { reason, message: 'why' } });

test('a process that took its call, and answered it, is kept', async () => {
  expect(await run({ value: 7 }, [CALL])).toBe(7);
  expect(isClosed).toBe(false);
});

test('a process that took its call, and refused it, is kept', async () => {
  await expect(run(failed('failed'), [CALL])).rejects.toMatchObject({ code: 'mcp.failed' });
  expect(isClosed).toBe(false);
});

test('a process that defines its tool otherwise is kept', async () => {
  await expect(run(failed('changed'), [LIST])).rejects.toMatchObject({ code: 'mcp.definition_changed' });
  expect(isClosed).toBe(false);
});

test('a value without a call that was written is no answer, and the process is killed', async () => {
  await expect(run({ value: 7 }, [LIST])).rejects.toMatchObject({ code: 'mcp.protocol' });
  expect(isClosed).toBe(true);
});

test.each<[string, SessionDone<number>]>([
  ['answered', { value: 7 }],
  ['refused', failed('failed')],
])('a process that %s its call, and left a part of it unread, is killed', async (_what, done) => {
  stdio.isReading = false;
  await run(done, [CALL]).catch(() => undefined);
  expect(isClosed).toBe(true);
});

test('a process that fails before it has its call is killed', async () => {
  await expect(run(failed('failed'), [LIST])).rejects.toMatchObject({ code: 'mcp.unreachable' });
  expect(isClosed).toBe(true);
});
