// SPDX-License-Identifier: Apache-2.0
import { outputOpener, outputSealer } from './output-seal.ts';

const key = Buffer.alloc(32, 7);

test('bytes sealed in pieces are opened in other pieces, in the same order', () => {
  const seal = outputSealer(key);
  const sealed = Buffer.concat(['one', '', 'two and three'].map((text) => seal(Buffer.from(text))));
  const open = outputOpener(key);
  expect(Buffer.concat([sealed.subarray(0, 5), sealed.subarray(5)].map(open)).toString()).toBe('onetwo and three');
});

test('sealed bytes reveal neither the plaintext nor a repetition', () => {
  const seal = outputSealer(key);
  const [first, second] = [seal(Buffer.alloc(64, 'x')), seal(Buffer.alloc(64, 'x'))];
  expect(first.includes('xxxx')).toBe(false);
  expect(first.equals(second)).toBe(false);
});

test('the bytes are fixed: an agent in an image outlives the executor that made it', () => {
  expect(outputSealer(key)(Buffer.from('hello')).toString('hex')).toBe('622882eb88');
});
