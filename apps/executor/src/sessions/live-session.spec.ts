// SPDX-License-Identifier: Apache-2.0
import { memoryBlobs } from '@writ/blobs';
import { FakeShells } from '@writ/sandbox';
import { LiveOutputs } from '../outputs/live-outputs.ts';
import { IMAGE, tenantId } from '../specs/scripted-kernel.ts';
import { LiveSession } from './live-session.ts';
import { WorkingCopy } from './working-copy.ts';

const { signal } = new AbortController();
let session: LiveSession;
beforeEach(async () => {
  session = new LiveSession({
    tenantId,
    shellId: 'shell',
    image: IMAGE,
    paths: '[]',
    shell: await new FakeShells({}).open(
      {
        image: IMAGE,
        files: [],
        env: {},
        limits: { memoryBytes: 1, cpus: 1, pids: 1, tmpfsBytes: 1 },
        size: { cols: 80, rows: 24 },
        proxy: true,
        labels: {},
      },
      signal,
    ),
    copy: new WorkingCopy(memoryBlobs(), tenantId, '0'.repeat(64)),
    output: new LiveOutputs().open('shell', {}),
  });
});

it('a call that is stopped while it waits for its turn leaves, and the call behind it still waits for the first', async () => {
  const stop = new AbortController();
  const endFirst = await session.turn(signal);
  const stopped = session.turn(stop.signal);
  const order: string[] = [];
  const third = session.turn(signal).then((endTurn) => {
    order.push('third has the turn');
    return endTurn;
  });
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  await new Promise((resolve) => setImmediate(resolve));
  order.push('first ends');
  endFirst?.();
  (await third)?.();
  expect(order).toEqual(['first ends', 'third has the turn']);
});

it('a call that is stopped already gets no turn, and the next one does', async () => {
  await expect(session.turn(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(await session.turn(signal)).toBeTypeOf('function');
});

it('calls that were stopped while they waited make room for others', async () => {
  const endFirst = await session.turn(signal);
  const stop = new AbortController();
  const waiting = Array.from({ length: 8 }, () => session.turn(stop.signal).catch(() => 'stopped'));
  expect(await session.turn(signal)).toBeNull();
  stop.abort();
  expect(await Promise.all(waiting)).toEqual(Array(8).fill('stopped'));
  const next = session.turn(signal);
  endFirst?.();
  expect(await next).toBeTypeOf('function');
});
