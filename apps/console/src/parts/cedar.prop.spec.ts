// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { cedarTokens } from './cedar.ts';

const PARTS = ['permit', ' ', '(', '@id', '"a', '"', '\\', '//', '/', '::', 'Agent', '@', '1', '\u202E', 'é', '\uD800'];
const lines = fc
  .array(fc.oneof(fc.constantFrom(...PARTS), fc.string()), { maxLength: 12 })
  .map((parts) => parts.join(''));

describe('the tokens of a line of Cedar', () => {
  it('make up the line, whatever it is', () => {
    fc.assert(
      fc.property(lines, (line) => {
        expect(
          cedarTokens(line)
            .map(({ text }) => text)
            .join(''),
        ).toBe(line);
      }),
    );
  });

  it('have the kinds of the language', () => {
    const kinds = cedarTokens('@id("a") forbid (principal in Agent::"x", action) when { context.n > 5 }; // why')
      .filter(({ kind }) => kind !== 'plain')
      .map(({ kind, text }) => `${kind} ${text}`);
    expect(kinds).toEqual([
      'annotation @id',
      'text "a"',
      'keyword forbid',
      'variable principal',
      'keyword in',
      'type Agent',
      'text "x"',
      'variable action',
      'keyword when',
      'variable context',
      'value 5',
      'comment // why',
    ]);
  });

  it('take a text with a quote in it, and a slash in it, as one', () => {
    expect(cedarTokens('"a \\" // b" x')).toEqual([
      { kind: 'text', text: '"a \\" // b"' },
      { kind: 'plain', text: ' ' },
      { kind: 'plain', text: 'x' },
    ]);
  });
});
