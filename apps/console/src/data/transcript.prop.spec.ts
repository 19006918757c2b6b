// SPDX-License-Identifier: Apache-2.0
import type { RunEvent, ServerEvent } from '@writ/client/web';
import fc from 'fast-check';
import { joined, NOTHING_LIVE, withStreamed } from './transcript.ts';

const TURN = { text: 'x', calls: [], stop: 'end' } as const;
const storedEvents = (count: number): readonly RunEvent[] =>
  Array.from({ length: count }, (_, at): RunEvent => ({ seq: at + 1, at, kind: 'replied', turn: TURN }));
const streamed = (event: RunEvent): ServerEvent => ({ event: event.kind, data: event, id: String(event.seq) });
const PASSING: readonly ServerEvent[] = [
  { event: 'ready', data: {}, id: null },
  { event: 'text', data: { round: 1, text: 'a' }, id: null },
  { event: 'asked', data: { round: 1, call: { id: 'c', tool_id: 'fs.read', args: {} } }, id: null },
  { event: 'started', data: { round: 1, index: 0, operation_id: 'op_1', tool_id: 'fs.read' }, id: null },
  { event: 'retry', data: { round: 1, failures: 2, delay_ms: 1, fault: 'overloaded' }, id: null },
  { event: 'later', data: { anything: true }, id: null },
];

/** What a reader got: events read, then a stream that may repeat some of them, with passing pieces between. */
const readings = fc
  .record({ count: fc.nat(20), read: fc.nat(20), from: fc.nat(20), again: fc.nat(20) })
  .chain(({ count, read, from, again }) => {
    const all = storedEvents(count);
    const known = all.slice(0, read);
    const first = Math.min(from, known.length);
    const stream = [...all.slice(first), ...all.slice(Math.max(first, count - again))].map(streamed);
    return fc
      .array(fc.constantFrom(...PASSING), { minLength: stream.length, maxLength: stream.length })
      .map((passing) => ({ all, known, stream: stream.flatMap((one, at) => [passing[at] as ServerEvent, one]) }));
  });

describe('a run that is read and followed', () => {
  it('has each stored event once and in order, however reading and stream overlap', () => {
    fc.assert(
      fc.property(readings, ({ all, known, stream }) => {
        const live = stream.reduce(withStreamed, NOTHING_LIVE);
        expect(joined(known, live)).toEqual(all.length > known.length ? all : known);
      }),
    );
  });

  it('keeps no streamed piece of a reply once the reply is stored', () => {
    fc.assert(
      fc.property(readings, ({ stream }) => {
        const live = stream.reduce(withStreamed, NOTHING_LIVE);
        expect([live.text, live.asked, live.failures]).toEqual(['', [], 0]);
      }),
    );
  });

  it('shows nothing of an attempt that failed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PASSING)), (pieces) => {
        const live = [...pieces, PASSING[4] as ServerEvent].reduce(withStreamed, NOTHING_LIVE);
        expect([live.text, live.asked, live.failures]).toEqual(['', [], 2]);
      }),
    );
  });
});
