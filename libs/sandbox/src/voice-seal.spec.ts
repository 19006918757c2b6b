// SPDX-License-Identifier: Apache-2.0
import { voiceOpener, voiceSealer } from './voice-seal.ts';

const key = Buffer.alloc(32, 7);

test('what is sealed in pieces is opened in others, in the same order', () => {
  const seal = voiceSealer(key);
  const sealed = Buffer.concat(['one', '', 'two and three'].map((text) => seal(Buffer.from(text))));
  const open = voiceOpener(key);
  expect(Buffer.concat([sealed.subarray(0, 5), sealed.subarray(5)].map(open)).toString()).toBe('onetwo and three');
});

test('what is sealed shows nothing of what was said, nor that it was said twice', () => {
  const seal = voiceSealer(key);
  const [first, second] = [seal(Buffer.alloc(64, 'x')), seal(Buffer.alloc(64, 'x'))];
  expect(first.includes('xxxx')).toBe(false);
  expect(first.equals(second)).toBe(false);
});

test('the bytes are fixed: an agent in an image outlives the executor that made it', () => {
  expect(voiceSealer(key)(Buffer.from('hello')).toString('hex')).toBe('622882eb88');
});
