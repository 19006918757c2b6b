// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Fault } from '@writ/contract';
import type { RunEventRow } from '../../store/session-rows/run-events.ts';
import { RunStream, type RunStreamOptions } from './run-stream.ts';

const RUN = 'run_01m834x5wtem0bcm5yy72gabjq';
const resumed = (seq: number): RunEventRow => ({ seq, at: 0, event: { kind: 'resumed' } });
const ended = (seq: number): RunEventRow => ({ seq, at: 0, event: { kind: 'ended', stopped: 'end' } });
const news = (seq: number, live: { event: 'text'; data: Record<string, unknown> }[] = []) => ({
  v: 1 as const,
  tenant_id: 'ten_1' as never,
  run_id: RUN as never,
  seq,
  live,
});

function streamOf(rows: RunEventRow[], over: Partial<RunStreamOptions> = {}): RunStream {
  const read = (after: number, limit: number): Promise<RunEventRow[]> =>
    Promise.resolve(rows.filter(({ seq }) => seq > after).slice(0, limit));
  return new RunStream({
    runId: RUN,
    state: 'running',
    after: 0,
    read,
    verifyKey: () => Promise.resolve(),
    forMs: null,
    ...over,
  });
}
const names = (said: string): string[] => [...said.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name ?? '');
const ids = (said: string): number[] => [...said.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

test('stored events are sent once and in order, over several pages, and the last event ends the stream', async () => {
  const rows = [...Array.from({ length: 120 }, (_none, n) => resumed(n + 1)), ended(121)];
  const said = await text(streamOf(rows).readable);
  expect(ids(said)).toEqual(rows.map(({ seq }) => seq));
  expect([names(said)[0], names(said).at(-1)]).toEqual(['ready', 'ended']);
  expect(ids(await text(streamOf(rows, { after: 119 }).readable))).toEqual([120, 121]);
});

test('a reader that has the last event of an ended run gets `ready` and nothing more', async () => {
  expect(names(await text(streamOf([resumed(1), ended(2)], { after: 2, state: 'ended' }).readable))).toEqual(['ready']);
});

test('streamed text is sent only to a reader that has all stored events', async () => {
  const rows = [resumed(1)];
  const stream = streamOf(rows);
  const said = text(stream.readable);
  await new Promise(setImmediate);
  stream.receive(news(1, [{ event: 'text', data: { round: 1, text: 'now' } }]));
  stream.receive(news(2, [{ event: 'text', data: { round: 1, text: 'lost' } }]));
  rows.push(ended(2));
  await once(stream.readable, 'end');
  expect(await said).toContain('now');
  expect(await said).not.toContain('lost');
});

test('text that was streamed before an event that the reader has is not sent again', async () => {
  const rows = [resumed(1), resumed(2)];
  const stream = streamOf(rows);
  const said = text(stream.readable);
  await new Promise(setImmediate);
  stream.receive(news(1, [{ event: 'text', data: { round: 1, text: 'late' } }]));
  stream.receive(news(2, [{ event: 'text', data: { round: 2, text: 'now' } }]));
  rows.push(ended(3));
  stream.receive(news(3));
  expect(names(await said)).toEqual(['ready', 'resumed', 'resumed', 'text', 'ended']);
  expect(await said).not.toContain('late');
});

test.each([
  ['asked', () => Promise.resolve([])],
  ['unavailable', () => Promise.reject(new Error('the database is away'))],
  ['auth', () => Promise.reject(new Fault('auth.invalid'))],
] as const)('a stream whose time is over ends as `%s`: it says what became of its last look', async (reason, read) => {
  let looks = 0;
  // The first read is the one at its beginning.
  const stream = streamOf([], { forMs: 1, read: () => (looks++ === 0 ? Promise.resolve([]) : read()) });
  expect(await text(stream.readable)).toContain(`event: end\ndata: {"reason":"${reason}"}`);
});

test('no stored event is sent to a key that is no longer valid', async () => {
  const said = await text(
    streamOf([resumed(1)], { verifyKey: () => Promise.reject(new Fault('auth.invalid')) }).readable,
  );
  expect([ids(said), said.includes('"reason":"auth"')]).toEqual([[], true]);
});
