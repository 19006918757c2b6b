// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { readCheckpoint, signerOf } from './checkpoint.ts';

const base64 = (bytes: readonly number[]): string => btoa(String.fromCharCode(...bytes));
const zeros = (length: number): number[] => Array.from({ length }, () => 0);
const HASH = [0xab, 0xcd, 0x00, 0x12];
const LOG = `\u2014 writ.example ${base64([...HASH, ...zeros(64)])}`;
// 1,700,000,000 seconds since the epoch.
const WITNESS = `\u2014 witness.example/w1 ${base64([...HASH, 0, 0, 0, 0, 0x65, 0x53, 0xf1, 0x00, ...zeros(64)])}`;
const NOTE = `writ.example/log_1\n42\ncm9vdA==\n\n${LOG}\n${WITNESS}\n`;

it('a checkpoint is read with its signatures, and the time of each witness', () => {
  expect(readCheckpoint(NOTE)).toEqual({
    origin: 'writ.example/log_1',
    size: 42,
    root: 'cm9vdA==',
    signatures: [
      { name: 'writ.example', keyHash: 'abcd0012', cosignedAt: null },
      { name: 'witness.example/w1', keyHash: 'abcd0012', cosignedAt: 1_700_000_000_000 },
    ],
  });
});

it('a signature counts for the log by a published key alone', () => {
  const [log, witness] = readCheckpoint(NOTE).signatures;
  if (log === undefined || witness === undefined) throw new Error('two signatures');
  const keys = (hash: string): string => JSON.stringify({ log_keys: [`writ.example+${hash}+AAAA`] });
  expect(signerOf(log, keys('abcd0012'))).toBe('log');
  expect(signerOf(log, keys('abcd0013'))).toBe('unknown');
  expect(signerOf(log, 'no keys')).toBe('unknown');
  expect(signerOf(witness, keys('abcd0012'))).toBe('witness');
});

it('another text is no checkpoint, and a broken signature is left out', () => {
  for (const text of ['', 'a\nb\nc\n\n', 'a\n-1\nc\n\n', 'a\n1\n']) expect(() => readCheckpoint(text)).toThrow();
  expect(readCheckpoint('a\n1\nc\n\n\u2014 x !!!\n\u2014 y AA==\nnoise\n').signatures).toEqual([]);
});

it('no text breaks the reader in another way', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '1', '\n', '\n\n', '\u2014 ', ' ', 'AAAAAAAA'), { maxLength: 30 }),
      (parts) => {
        try {
          readCheckpoint(parts.join(''));
        } catch (error) {
          expect(String(error)).toContain('no checkpoint');
        }
      },
    ),
  );
});
