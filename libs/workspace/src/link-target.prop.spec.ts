// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { LINK_TARGET_BYTES_MAX, linkTargetFault } from './link-target.ts';

const fault = (text: string | Uint8Array) => linkTargetFault(Buffer.from(text));

test.each([
  ['empty', '', /empty/],
  ['longer than a path may be', 'x'.repeat(LINK_TARGET_BYTES_MAX + 1), /longer/],
  ['longer than that in bytes alone', 'ä'.repeat(LINK_TARGET_BYTES_MAX / 2 + 1), /longer/],
  ['with NUL', 'a\0b', /NUL/],
  ['not UTF-8', Buffer.from([0x61, 0xff]), /UTF-8/],
  ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80]), /UTF-8/],
  ['of two lines', 'a\nb', /control/],
  ['that moves a cursor', 'a\u001b[2J', /control/],
  ['that rubs out', 'a\u007f', /control/],
])('a target %s is none', (_, text, why) => {
  expect(fault(text)).toMatch(why);
});

test('any other text is valid, wherever it leads', () => {
  for (const text of ['a', '../..', '/etc/passwd', '/', '緑/é', ' ', 'x'.repeat(LINK_TARGET_BYTES_MAX)])
    expect({ text, fault: fault(text) }).toEqual({ text, fault: null });
});

test('accepted bytes are always text on one line, and are preserved', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      if (linkTargetFault(bytes) !== null) return;
      const text = Buffer.from(bytes).toString('utf8');
      expect(Buffer.from(text)).toEqual(Buffer.from(bytes));
      expect([...text].every((char) => char >= ' ' && char !== '\u007f')).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
