// SPDX-License-Identifier: Apache-2.0
import { FILE_BYTES_MAX, kindOf } from './dropped-file.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

it.each([
  ['{"envelope":{},"inclusion":{}}', 'receipt'],
  ['{}', 'receipt'],
  ['{"record_keys":[],"log_keys":[]}', 'keys'],
  ['{"v":1,"deployments":[]}', 'keys'],
  ['[]', 'other'],
  ['null', 'other'],
  ['{"a":1}\n{"a":2}\n', 'other'],
  ['', 'other'],
])('a file with %s is: %s', (text, kind) => {
  expect(kindOf(bytes(text))).toBe(kind);
});

it('an archive is recognised by its mark, and a large file is not read', () => {
  const archive = new Uint8Array(1_024);
  archive.set(bytes('ustar'), 257);
  expect(kindOf(archive)).toBe('archive');
  expect(kindOf(new Uint8Array(FILE_BYTES_MAX + 1))).toBe('too_large');
});
