// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { MessageStructureObject } from 'imapflow';
import { htmlText } from './html-text.ts';
import { headerLine, PART_BYTES_MAX, partsOf, readText } from './message-text.ts';

const PLAIN = { part: '1', isHtml: false, encoding: '7bit', charset: 'utf-8' };
const text = (content: string | Uint8Array, more: Partial<typeof PLAIN> = {}) =>
  readText(typeof content === 'string' ? Buffer.from(content, 'latin1') : content, { ...PLAIN, ...more }).text;

describe('the text of a message', () => {
  test.each([
    ['quoted-printable', 'caf=C3=A9 =\r\n=3D=', 'utf-8', 'café =='],
    ['base64', 'Y2Fmw6k', 'utf-8', 'café'],
    ['base64', '!!not base64!!', 'utf-8', Buffer.from('not base64', 'base64').toString().trim()],
    ['8bit', 'caf\u00e9', 'iso-8859-1', 'café'],
    ['x-unknown', 'as it stands', 'x-none', 'as it stands'],
    ['base64', 'g2WDWINn', 'shift_jis', 'テスト'],
  ])('in %s `%s` of %s is read', (encoding, content, charset, expected) => {
    expect(text(content, { encoding, charset }).replaceAll('\ufffd', '')).toBe(expected.replaceAll('\ufffd', ''));
  });

  test('is an excerpt, and says so', () => {
    const read = readText(Buffer.from('a'.repeat(5_000)), PLAIN);
    expect([read.text.length, read.text_truncated]).toEqual([4_000, true]);
    expect(readText(Buffer.alloc(PART_BYTES_MAX, ' '), PLAIN)).toEqual({ text: '', text_truncated: true });
    expect(readText(Buffer.from('short'), PLAIN)).toEqual({ text: 'short', text_truncated: false });
  });

  test('has no control characters and no half of one', () => {
    expect(text('a\u0000\u001b[31mb\u0007')).toBe('a[31mb');
    expect(readText(Buffer.from(`${'a'.repeat(3_999)}🎉`), PLAIN).text.isWellFormed()).toBe(true);
    expect(headerLine('a\r\n b\u0000\ud83d', 99)).toBe('a b\ufffd');
    expect(headerLine({ toString: 1 }, 99)).toBe('');
  });

  test('is read of any bytes in any encoding, in little time', () => {
    const kinds = fc.record({
      isHtml: fc.boolean(),
      encoding: fc.constantFrom('base64', 'quoted-printable', '7bit', ''),
      charset: fc.constantFrom('utf-8', 'utf-16le', 'gb18030', 'iso-2022-jp', '\u0000'),
    });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), kinds, (bytes, kind) => void text(bytes, kind)));
    const started = performance.now();
    for (const piece of ['<', '<a ', '<!--', '&', '&#', '=', '= \r\n', ' ', '<p>', '<script>', '</', '"', '=\r'])
      for (const isHtml of [true, false])
        text(piece.repeat(PART_BYTES_MAX / piece.length), { isHtml, encoding: 'quoted-printable' });
    // Linear work takes a few seconds on the slowest machine, and quadratic work takes minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

test('HTML is reduced to what a reader sees', () => {
  expect(htmlText('<style>x</style><script>y</script>a<br>b <b>c</b>&lt;d&gt;<!-- e -->').trim()).toBe('a\nb c<d>');
});

test('the text of HTML with very many open elements is read in little time, to its end', () => {
  const started = performance.now();
  const html = `<p>one</p>${'<a>'.repeat(20_000)}two${'</b>'.repeat(17_000)}<p>three`;
  expect(htmlText(html).replace(/\s+/g, ' ').trim()).toBe('one two three');
  // Every end tag that is looked for among all open elements takes many times as long.
  expect(performance.now() - started).toBeLessThan(1_000);
});

describe('the parts of a message', () => {
  const leaf = (type: string, more: Partial<MessageStructureObject> = {}): MessageStructureObject => ({
    type,
    ...more,
  });
  const multipart = (...childNodes: MessageStructureObject[]) => ({ type: 'multipart/mixed', childNodes });

  test('are a plain text before an HTML text, and no text that is attached', () => {
    const attached = leaf('text/plain', { part: '1', disposition: 'attachment' });
    const parts = multipart(
      attached,
      multipart(leaf('text/html', { part: '2.1' }), leaf('text/plain', { part: '2.2' })),
    );
    expect(partsOf(parts)).toMatchObject({ text: { part: '2.2', isHtml: false }, has_attachments: true });
    expect(partsOf(leaf('text/html'))).toMatchObject({ text: { part: '1', isHtml: true }, has_attachments: false });
    expect(partsOf(undefined)).toEqual({ text: null, has_attachments: false });
  });

  test('that a text shows inside are no attachments', () => {
    const picture = leaf('image/png', { part: '2', id: '<logo>' });
    expect(partsOf(multipart(leaf('text/html', { part: '1' }), picture)).has_attachments).toBe(false);
    expect(partsOf(multipart(leaf('message/rfc822', { part: '1' }))).has_attachments).toBe(true);
  });

  test('with a number that is none are not asked for by it', () => {
    expect(partsOf(leaf('text/plain', { part: '1] BODY[HEADER' })).text?.part).toBe('1');
  });

  test('in depths and in numbers cost little', () => {
    let deep: MessageStructureObject = leaf('text/plain');
    for (let depth = 0; depth < 100_000; depth += 1) deep = multipart(deep);
    expect(partsOf(deep).text).toBeNull();
    expect(partsOf(multipart(...new Array<MessageStructureObject>(100_000).fill(leaf('a/b')))).has_attachments).toBe(
      true,
    );
  });
});
