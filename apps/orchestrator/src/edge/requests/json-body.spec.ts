// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Fault } from '@writ/contract';
import { CALLS } from '../../api/calls/routes.ts';
import { inlineTasks } from '../../specs/inline-tasks.ts';
import { WorkerTasks } from '../work/worker-tasks.ts';
import { INLINE_BYTES, INLINE_VALUES, readJsonBody } from './json-body.ts';

const refusing = (fault: Fault): WorkerTasks => new WorkerTasks({ run: () => Promise.reject(fault) });
const never = refusing(new Fault('overloaded'));
const read = (text: string, tasks = inlineTasks) =>
  readJsonBody(Readable.from([Buffer.from(text)]), {
    route: CALLS.propose,
    bytesMax: 10 * INLINE_BYTES,
    tasks,
    tenantId: 'ten',
  });
/** A body of exactly so many bytes. */
const ofBytes = (bytes: number): string => JSON.stringify({ a: 'x'.repeat(bytes - 8) });
/** A body of exactly so many values. */
const ofValues = (values: number): string => JSON.stringify({ a: Array.from({ length: values - 2 }, () => 0) });

it('a short body is read on the event loop, a longer one in a worker thread', async () => {
  for (const [text, more] of [
    [ofBytes(INLINE_BYTES), ofBytes(INLINE_BYTES + 1)],
    [ofValues(INLINE_VALUES), ofValues(INLINE_VALUES + 1)],
  ] as const) {
    expect(await read(text, never)).toEqual(JSON.parse(text));
    await expect(read(more, never)).rejects.toMatchObject({ code: 'overloaded' });
    expect(await read(more)).toEqual(JSON.parse(more));
  }
});

it('an error in a long body is reported like one in a short body', async () => {
  await expect(read(`{"a":1,"b":${ofBytes(INLINE_BYTES)},"a":2}`)).rejects.toMatchObject({
    code: 'request.malformed',
    pointer: '/a',
  });
});

it('a body that takes too long to read is too large', async () => {
  const slow = refusing(new Fault('limit.exceeded', '`body.read` needs more than 5000 ms'));
  await expect(read(ofBytes(INLINE_BYTES + 1), slow)).rejects.toMatchObject({ code: 'request.too_large' });
});
