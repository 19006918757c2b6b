// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { Redactor, SecretValues } from './redactor.ts';

const value = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.stringMatching(/^[ab]{2,8}$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  )
  .filter((text) => text.isWellFormed());
const secrets = fc.dictionary(fc.constantFrom('A', 'B'), value, { minKeys: 1, maxKeys: 2 });
const forms = (text: string): string[] => [
  text,
  Buffer.from(text).toString('base64'),
  Buffer.from(`x${text}`).toString('base64'),
  Buffer.from(text).toString('hex'),
  encodeURIComponent(text),
  JSON.stringify(text),
  [...text].map((character) => `&#${String(character.codePointAt(0))};`).join(''),
  [...text].join('\n'),
  JSON.stringify([...Buffer.from(text)]),
  text.slice(0, -1),
  `${text}${text}`,
];

/** Secrets, a text that holds them in some encodings, and positions where it is split. */
const streams = secrets.chain((all) =>
  fc.record({
    all: fc.constant(all),
    bytes: fc
      .array(
        fc.oneof(
          fc.constantFrom(...Object.values(all).flatMap(forms)),
          fc.string({ maxLength: 4 }),
          fc.constantFrom('a', 'b', '\n', 'ab', '\\', '&#', '%', '0000000 ', ' 61', '|'),
        ),
        { maxLength: 8 },
      )
      .map((parts) => Buffer.from(parts.join(''))),
    cuts: fc.array(fc.nat(200), { maxLength: 12 }),
  }),
);

test('the redacted output does not depend on how the stream was split', () => {
  fc.assert(
    fc.property(streams, fc.boolean(), ({ all, bytes, cuts }, cut) => {
      const values = new SecretValues(all);
      const places = [0, ...cuts.map((at) => at % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      const redactor = new Redactor(values);
      const pieces = places.slice(1).map((to, index) => redactor.push(bytes.subarray(places[index], to)));
      const whole = new Redactor(values);
      expect(Buffer.concat([...pieces, redactor.end(cut)]).toString('latin1')).toBe(
        Buffer.concat([whole.push(bytes), whole.end(cut)]).toString('latin1'),
      );
    }),
    { numRuns: 3_000 },
  );
});

test('with any pauses, at most three bytes of a value are emitted, and all other bytes are', () => {
  const pieces = fc.array(fc.constantFrom('correct-horse', 'c', '.', '\n'), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.array(fc.tuple(fc.nat(60), fc.nat(2))), (parts, cuts) => {
      const redactor = new Redactor(new SecretValues({ A: 'correct-horse', B: 'co' }));
      const bytes = Buffer.from(parts.join(''));
      const out: Buffer[] = [];
      let from = 0;
      for (const [at, pauses] of [
        ...cuts.map(([place, count]) => [place % (bytes.length + 1), count] as const),
        [bytes.length, 0] as const,
      ].sort(([a], [b]) => a - b)) {
        out.push(redactor.push(bytes.subarray(from, at)), ...Array.from({ length: pauses }, () => redactor.pause()));
        from = at;
      }
      const shown = Buffer.concat([...out, redactor.end()]).toString();
      expect(shown).not.toMatch(/co|orre|rrec|rect|ect-|ct-h|t-ho|-hor|hors|orse/);
      const noise = (text: string): string => text.replaceAll(/[^.\n]/g, '');
      expect(noise(shown)).toBe(noise(parts.join('')));
    }),
    { numRuns: 3_000 },
  );
});

test('the redacted output has no value and all other bytes', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          'correct-horse',
          'battery-staple',
          Buffer.from('correct-horse').toString('base64'),
          'x',
          ' ',
          '\n',
          'corr',
        ),
        { maxLength: 12 },
      ),
      (parts) => {
        const values = new SecretValues({ A: 'correct-horse', B: 'battery-staple' });
        const shown = values.redactText(parts.join(''));
        expect(shown).not.toMatch(/correct-horse|battery-staple|Y29ycmVjdC1ob3JzZ/);
        const plain = (text: string): string =>
          text.replaceAll(/\*\*\*[AB]\*\*\*|correct-horse|battery-staple|Y29ycmVjdC1ob3JzZQ?=*|Q?==/g, '');
        expect(plain(shown)).toBe(plain(parts.join('')));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('no more bytes are held back than the longest encoded form has', () => {
  const longest = 'x'.repeat(100);
  const redactor = new Redactor(new SecretValues({ A: longest }));
  let [pushed, emitted] = [0, 0];
  for (let round = 0; round < 200; round++) {
    const piece = Buffer.from(round % 2 === 0 ? 'xx' : '78\n\n\n');
    pushed += piece.length;
    emitted += redactor.push(piece).length;
    expect(pushed - emitted).toBeLessThan(100 * 2 * 5);
  }
});
