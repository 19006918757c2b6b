// SPDX-License-Identifier: Apache-2.0
// Outputs of programs that process a value. The value is longer than one of their lines, with other bytes around it.
import { execFileSync } from 'node:child_process';
import { SecretValues } from './redactor.ts';

const VALUE = 'hunter2-correct-horse-battery';
const values = new SecretValues({ KEY: VALUE });
/** Substrings of five characters: shorter ones reveal next to nothing. */
const PIECES = Array.from({ length: VALUE.length - 4 }, (_, at) => VALUE.slice(at, at + 5));

/** The substrings of the value that a person could still read in a text, in any of the notations of this spec. */
function leftIn(shown: string): string[] {
  const squeezed = shown.replaceAll(/[\s"',\\]/g, '');
  return PIECES.filter((piece) => {
    const bytes = Buffer.from(piece);
    const forms = [
      piece,
      bytes.toString('hex'),
      [...bytes].map((byte) => byte.toString(8).padStart(3, '0')).join(''),
      [...bytes].map(String).join(''),
    ];
    return forms.some((form) => squeezed.includes(form));
  });
}

describe('a secret value in the output of a program', () => {
  it.each([
    'fold -w5',
    'fold -w1',
    'od',
    'od -c',
    'od -x',
    'od -b',
    'od -An -tx1',
    'od -An -c',
    'od -tx4',
    'od -tx8',
    'od -tu1',
    'od -An -tu1',
    'base64',
    'base64 -w7',
    "sed 's/./& /g'",
    "sed 's/./&\\n/g'",
    `sed "s/./'&', /g"`,
    'cat -A',
    'tr -d q',
  ])('is redacted from the output of `%s`', (program) => {
    for (const [before, after] of [
      ['', ''],
      ['key=', ''],
      ['the key is ', ' and no other\nfoo\n'],
    ]) {
      const written = execFileSync('/bin/bash', ['-c', program], {
        input: `${before}${VALUE}${after}`,
        encoding: 'utf8',
      });
      const shown = values.redactText(written);
      expect(shown).toContain('***KEY***');
      expect(leftIn(shown)).toEqual([]);
    }
  });

  it.each([
    [
      'xxd',
      '00000000: 6875 6e74 6572 322d 636f 7272 6563 742d  hunter2-correct-\n00000010: 686f 7273 652d 6261 7474 6572 790a       horse-battery.\n',
    ],
    ['xxd -p -c 8', '68756e746572322d\n636f72726563742d\n686f7273652d6261\n747465727900\n'],
    [
      'xxd -i',
      '  0x68, 0x75, 0x6e, 0x74, 0x65, 0x72, 0x32, 0x2d, 0x63, 0x6f, 0x72, 0x72,\n  0x65, 0x63, 0x74, 0x2d, 0x68, 0x6f, 0x72, 0x73, 0x65, 0x2d, 0x62, 0x61,\n  0x74, 0x74, 0x65, 0x72, 0x79\n',
    ],
    [
      'hexdump',
      '0000000 7568 746e 7265 2d32 6f63 7272 6365 2d74\n0000010 6f68 7372 2d65 6162 7474 7265 0a79     \n000001e\n',
    ],
    [
      'hexdump -C',
      '00000000  68 75 6e 74 65 72 32 2d  63 6f 72 72 65 63 74 2d  |hunter2-correct-|\n00000010  68 6f 72 73 65 2d 62 61  74 74 65 72 79 0a        |horse-battery.|\n0000001e\n',
    ],
    ['HTML entities', [...VALUE].map((character) => `&#${String(character.charCodeAt(0))};`).join('')],
    [
      'hexadecimal HTML entities',
      [...VALUE].map((character) => `&#x${character.charCodeAt(0).toString(16)};`).join(''),
    ],
    [
      '`\\u` escapes',
      [...VALUE].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ],
    ['`\\u{…}` escapes', [...VALUE].map((character) => `\\u{${character.charCodeAt(0).toString(16)}}`).join('')],
    ['`\\x` escapes', [...VALUE].map((character) => `\\x${character.charCodeAt(0).toString(16)}`).join('')],
    [
      'octal escapes',
      [...VALUE].map((character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`).join(''),
    ],
    ['escapes of some characters', 'hunter2\\u002dcorrect&#45;horse%2Dbatter\\x79'],
    ['a list of characters', JSON.stringify([...VALUE])],
    ['a list of characters, a line each', JSON.stringify([...VALUE], null, 4)],
    ['a list of bytes', JSON.stringify([...Buffer.from(VALUE)])],
    ['base64 in a URL', encodeURIComponent(Buffer.from(`${VALUE}?>`).toString('base64'))],
  ])('is redacted as %s', (_name, written) => {
    for (const text of [written, `before\n${written}\nafter`]) {
      const shown = values.redactText(text);
      expect(shown).toContain('***KEY***');
      expect(leftIn(shown)).toEqual([]);
    }
  });

  it('with multi-byte characters, quotes and white space is redacted', () => {
    const odd = 'pass "wörd", 日本 – 😀 x';
    const all = new SecretValues({ ODD: odd });
    for (const written of [
      [...odd].map((character) => `&#${String(character.codePointAt(0))};`).join(''),
      JSON.stringify(odd).replaceAll(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
      odd.replaceAll(/(.{3})/gu, '$1\n'),
      execFileSync('od', ['-c'], { input: odd, encoding: 'utf8' }),
      execFileSync('od', ['-x'], { input: odd, encoding: 'utf8' }),
      JSON.stringify([...odd]),
    ])
      expect(all.redactText(written)).toContain('***ODD***');
  });

  it('is not found in text without it', () => {
    const text = [
      'hunter 2',
      'correct horse',
      '0000000 hunter2',
      '00000010: 6875 6e74  hu',
      '[104, 117, 110]',
      'a &amp; b \\u0041 %20 \\',
      'battery',
    ].join('\n');
    expect(values.redactText(text)).toBe(text);
  });
});

describe('the worst cases of a scan', () => {
  it.each([
    ['the beginning of a value, over and over', 'a'.repeat(8_000), 'a'],
    ['a value that overlaps itself', 'ab'.repeat(500), 'ab'],
    ['backslashes', 'x'.repeat(40), '\\'],
    ['beginnings of entities', 'x'.repeat(40), '&#1'],
    ['hexadecimal zeros', '\0'.repeat(400), '00'],
    ['numbers', '0'.repeat(400), '48 '],
    ['blanks', 'hhhhhhhh', 'h               '],
  ])('take time that grows with the text alone: %s', (_what, value, unit) => {
    const of = new SecretValues({ A: `${value}b` });
    const seconds = (bytes: number): number => {
      const text = Buffer.from(unit.repeat(Math.ceil(bytes / unit.length)));
      const began = performance.now();
      of.redactBytes(text);
      return performance.now() - began;
    };
    seconds(64 * 1024);
    // About 40 ns per byte; a quadratic scan would take minutes. The bound allows a busy machine thirty times as long.
    expect(seconds(2 * 1024 * 1024)).toBeLessThan(6_000);
  });
});
