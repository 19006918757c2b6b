// SPDX-License-Identifier: Apache-2.0
import { SHOWN_BYTES_MAX } from '@writ/contract';
import { LiveOutputs } from './live-outputs.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

it('the tail of the output is bounded, and all bytes are counted', () => {
  const outputs = new LiveOutputs();
  const tail = outputs.open('op', {});
  for (let i = 0; i < 200; i++) tail.push(bytes(`${String(i).padStart(4, '0')} ${'x'.repeat(1_000)}\n`));
  const { output, output_bytes } = outputs.read('op')!;
  expect(output_bytes).toBe(200 * 1_006);
  expect(Buffer.byteLength(output)).toBe(SHOWN_BYTES_MAX);
  expect(output.slice(-1_006)).toBe(`0199 ${'x'.repeat(1_000)}\n`);
  tail.push(Buffer.alloc(3 * SHOWN_BYTES_MAX, 'y'));
  expect(outputs.read('op')!.output).toBe('y'.repeat(SHOWN_BYTES_MAX));
});

it('the output of a call with secrets is withheld', () => {
  const outputs = new LiveOutputs();
  outputs.open('op', { TOKEN: 'marker' }).push(bytes('the marker'));
  expect(outputs.read('op')).toEqual({ container_id: 'op', output: '', output_bytes: 10, withheld: true });
});

it('closing a tail removes its container, but not a newer one with the same id', () => {
  const outputs = new LiveOutputs();
  const first = outputs.open('op', {});
  outputs.open('op', {}).push(bytes('second'));
  first.close();
  expect(outputs.read('op')).toMatchObject({ output: 'second' });
  expect(outputs.read('none')).toBeNull();
  const other = outputs.open('other', {});
  other.close();
  expect(outputs.read('other')).toBeNull();
});
