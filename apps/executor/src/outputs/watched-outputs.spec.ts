// SPDX-License-Identifier: Apache-2.0
import {
  OUTPUT_PIECE_BYTES_MAX,
  WATCH_HELD_MS,
  WATCHED_BYTES_MAX,
  type OutputEvent,
  type WatchEvent,
} from '@writ/contract';
import { vi } from 'vitest';
import { SecretValues } from '../redaction/redactor.ts';
import { WatchedOutputs } from './watched-outputs.ts';

const TENANT = 'ten_01m834x5wtem0bcm5yy72gabjq';
const OPERATION = 'op_01m834x5wtem0bcm5yy72gabjq';
const EXECUTOR = 'exe_01m834x5wtem0bcm5yy72gabjq';
const call = { tenantId: TENANT, operationId: OPERATION, attempt: 1, secrets: {} };
const watch = (over: Partial<WatchEvent> = {}): WatchEvent =>
  ({
    v: 1,
    tenant_id: TENANT,
    operation_id: OPERATION,
    watch_id: 'a'.repeat(32),
    attempt: 1,
    from: 0,
    ...over,
  }) as WatchEvent;
const bytes = (text: string): Buffer => Buffer.from(text);
const textOf = ({ bytes: text }: OutputEvent): string => Buffer.from(text, 'base64').toString('utf8');

let sent: OutputEvent[];
let outputs: WatchedOutputs;
beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  outputs = new WatchedOutputs(EXECUTOR, (event) => sent.push(event));
});
afterEach(() => {
  vi.useRealTimers();
});

it('answers with what there is from a position on, and at once', () => {
  const output = outputs.open(call);
  output.push(bytes('one two'));
  outputs.watch(watch());
  outputs.watch(watch({ from: 4 }));
  expect(sent.map((event) => [event.from, textOf(event), event.output_bytes, event.closed])).toEqual([
    [0, 'one two', 7, false],
    [4, 'two', 7, false],
  ]);
});

it('answers once when something comes, many small writes together, and with nothing after a second', () => {
  const output = outputs.open(call);
  outputs.watch(watch());
  for (const letter of 'abc') output.push(bytes(letter));
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(sent.map(textOf)).toEqual(['abc']);
  output.push(bytes('d'));
  vi.advanceTimersByTime(100);
  expect(sent).toHaveLength(1);
  outputs.watch(watch({ from: 4 }));
  vi.advanceTimersByTime(WATCH_HELD_MS);
  expect(sent.map(textOf)).toEqual(['abc', '']);
});

it('shows nothing but the size of the output of a call that was given a secret', () => {
  for (const given of [{ secrets: { KEY: 'marker' } }, { values: new SecretValues({ KEY: 'marker' }) }]) {
    const output = outputs.open({ ...call, ...given });
    output.push(bytes('the marker'));
    outputs.watch(watch());
    vi.advanceTimersByTime(WATCH_HELD_MS);
    output.close();
    outputs.watch(watch());
  }
  expect(sent).toHaveLength(4);
  for (const event of sent) expect(event).toMatchObject({ bytes: '', from: 0, withheld: true });
  expect(JSON.stringify(sent)).not.toContain(bytes('marker').toString('base64').slice(0, 6));
});

it('keeps the newest bytes of a call and sends them in bounded pieces', () => {
  const output = outputs.open(call);
  for (let i = 0; i < 1_000; i++) output.push(bytes(String(i).padStart(1_000)));
  let from = 0;
  for (const at of [0, 1, 2, 3, 4]) {
    outputs.watch(watch({ from }));
    const event = sent[at];
    if (event === undefined) break;
    expect(Buffer.from(event.bytes, 'base64').length).toBeLessThanOrEqual(OUTPUT_PIECE_BYTES_MAX);
    from = event.from + Buffer.from(event.bytes, 'base64').length;
  }
  expect(sent[0]?.from).toBeGreaterThanOrEqual(1_000_000 - WATCHED_BYTES_MAX - 1_000);
  expect(from).toBe(1_000_000);
});

it('never ends a piece within a character while the command runs', () => {
  const output = outputs.open(call);
  const euro = bytes('€');
  output.push(Buffer.concat([bytes('a'), euro.subarray(0, 2)]));
  outputs.watch(watch());
  expect(sent.map(textOf)).toEqual(['a']);
  outputs.watch(watch({ from: 1 }));
  vi.advanceTimersByTime(100);
  output.push(euro.subarray(2));
  vi.advanceTimersByTime(100);
  expect(sent.map(textOf)).toEqual(['a', '€']);
});

it('says nothing to another tenant, and nothing of a call that is not here', () => {
  outputs.open(call).push(bytes('x'));
  outputs.watch(watch({ tenant_id: 'ten_01m834x5wtem0bcm5yy72gabjr' as WatchEvent['tenant_id'] }));
  outputs.watch(watch({ operation_id: 'op_01m834x5wtem0bcm5yy72gabjr' as WatchEvent['operation_id'] }));
  vi.advanceTimersByTime(10 * WATCH_HELD_MS);
  expect(sent).toEqual([]);
});

it('starts again for another attempt, and its end can be read for a while if somebody followed it', () => {
  const first = outputs.open(call);
  outputs.watch(watch());
  const second = outputs.open({ ...call, attempt: 2 });
  first.close();
  second.push(bytes('again'));
  second.close();
  outputs.watch(watch({ attempt: 1, from: 3 }));
  expect(sent.at(-1)).toMatchObject({ attempt: 2, from: 0, closed: true });
  expect(textOf(sent.at(-1)!)).toBe('again');
  vi.advanceTimersByTime(60_000);
  const before = sent.length;
  outputs.watch(watch());
  vi.advanceTimersByTime(WATCH_HELD_MS);
  expect(sent).toHaveLength(before);
});

it('bounds how many processes wait for one call', () => {
  outputs.open(call);
  for (let i = 0; i < 100; i++) outputs.watch(watch({ watch_id: i.toString(16).padStart(32, '0') }));
  vi.advanceTimersByTime(WATCH_HELD_MS);
  expect(sent).toHaveLength(32);
});
