// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Channels, isChannelMessage, type AgentMessage, type HostChannelMessage } from '@writ/sandbox';
import { Agent } from './agent.ts';
import { makePipes } from './pipes.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-workspace-'));
});
afterEach(() => rmSync(root, { recursive: true }));

interface Started {
  readonly stdio: Duplex;
  /** all messages but those of channels, up to the end */
  readonly ended: Promise<AgentMessage[]>;
}

/** Runs a program with a connection, and resolves when that is open. */
async function start(argv: readonly string[], timeout_ms = 10_000, pipes = makePipes(root)[0]): Promise<Started> {
  const { promise: opened, resolve: open } = Promise.withResolvers<Duplex>();
  const { promise: ended, resolve: end } = Promise.withResolvers<AgentMessage[]>();
  const received: AgentMessage[] = [];
  const channels = new Channels({
    send: (message) => message.type !== 'net_open' && agent.handle(message as HostChannelMessage),
    opened: open,
  });
  const endAll = ({ pid }: { pid?: number | undefined }) => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The group is empty.
    }
  };
  const agent = new Agent({ root, scratch: tmpdir(), pipes, endAll }, (message) => {
    if (isChannelMessage(message)) return channels.receive(message);
    received.push(message);
    if (message.type === 'end' || (message.type === 'exit' && message.timedOut)) end(received);
  });
  agent.handle({
    type: 'job',
    job: {
      command: '',
      argv,
      cwd: '',
      timeout_ms,
      env: {},
      stdin: false,
      stdio: true,
      output_bytes_max: 20_000,
      delta_bytes_max: 0,
      delta_files_max: 0,
    },
  });
  return { stdio: (await opened).on('error', () => undefined), ended };
}
const stderrOf = (messages: readonly AgentMessage[]): string =>
  messages.flatMap((message) => (message.type === 'stderr' ? [message.bytes.toString()] : [])).join('');

describe.each([
  ['with pipes', () => makePipes(root)[0]],
  ['in an image without pipes', () => null],
])('a program %s', (_what, pipesOf) => {
  test('reads and writes over its connection, which ends with its output', async () => {
    const { stdio, ended } = await start(['cat'], 10_000, pipesOf());
    stdio.write('one\n');
    expect(String(((await once(stdio, 'data')) as [Buffer])[0])).toBe('one\n');
    stdio.end();
    await once(stdio.resume(), 'end');
    expect(await ended).toMatchObject([{ type: 'exit', code: 0 }, { type: 'end' }]);
  });

  test('sends the end of its error stream when it ends, and only then', async () => {
    const script = 'head -c 100000 /dev/zero | tr "\\0" x >&2; echo >&2; read -r line; echo "last" >&2';
    const { stdio, ended } = await start(['/bin/bash', '-c', script], 10_000, pipesOf());
    stdio.resume().write('go\n');
    const words = stderrOf(await ended);
    expect([words.length, words.slice(-6)]).toEqual([8 * 1024, '\nlast\n']);
  });
});

test('a program that nobody reads waits as at a full pipe, and ends at its time', async () => {
  const { stdio, ended } = await start(['/bin/bash', '-c', 'while echo x; do :; done'], 500);
  stdio.pause();
  expect(await ended).toMatchObject([{ type: 'exit', signal: 'SIGKILL', timedOut: true }]);
  // A window, and what the stream holds beside it.
  expect(stdio.readableLength).toBeLessThanOrEqual(256 * 1024);
});

test('a program that is not there says so', async () => {
  const { ended } = await start(['no-such-program']);
  const messages = await ended;
  expect(stderrOf(messages)).toContain("the command can't be started (ENOENT)");
  expect(messages.find(({ type }) => type === 'exit')).toMatchObject({ code: 126 });
});
