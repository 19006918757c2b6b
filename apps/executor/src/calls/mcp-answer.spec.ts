// SPDX-License-Identifier: Apache-2.0
import type { RemoteContent } from '@writ/mcp-client';
import fc from 'fast-check';
import { shownAnswer } from './mcp-answer.ts';

const text = (of: string): RemoteContent => ({ type: 'text', text: of });
const image = (bytes: number): RemoteContent => ({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(bytes) });
const answer = (...content: RemoteContent[]) => ({ content, structured: null, is_error: false });
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

it('an answer within its bound is shown as it is', () => {
  const said = { ...answer(text('hello'), image(100)), structured: { a: [1] }, is_error: true };
  expect(shownAnswer(said, [], 10_000)).toEqual({ ...said, truncated: false });
});

it('a text that is too long is cut, and an image that is too long is left out', () => {
  const { content, truncated } = shownAnswer(answer(image(5_000), text('x'.repeat(5_000))), [], 2_000);
  expect(content[0]).toEqual(text('[image (image/png) of 5049 bytes was left out]'));
  expect(content[1]).toMatchObject({ type: 'text', text: expect.stringMatching(/^x{1000,}…$/) as unknown });
  expect(truncated).toBe(true);
});

it('a structured part that is too long is left out with a note', () => {
  const shown = shownAnswer({ ...answer(text('short')), structured: { a: 'y'.repeat(5_000) } }, [], 2_000);
  expect(shown).toMatchObject({
    structured: null,
    truncated: true,
    content: [{ text: '[the structured result of 5008 bytes was left out]' }, { text: 'short' }],
  });
});

it('a question is kept as it is, whatever it takes', () => {
  const params = { message: 'x'.repeat(3_000) };
  const asks = { requests: { a: { method: 'elicitation/create', params } }, state: `${'s'.repeat(300)}key…` };
  const shown = shownAnswer({ ...answer(), asks }, [['KEY', 'key-0123456789-secret']], 2_000);
  expect(shown).toEqual({ ...answer(), asks, truncated: false });
});

it('a secret value is not shown, in a text that is cut either', () => {
  const secret = 'key-0123456789-secret';
  const parts = [text(`${'x'.repeat(1_500)}${secret}${'y'.repeat(2_000)}`)];
  const shown = JSON.stringify(shownAnswer({ ...answer(...parts), structured: { secret } }, [['KEY', secret]], 2_000));
  for (let length = 8; length <= secret.length; length += 1) expect(shown).not.toContain(secret.slice(0, length));
});

it('a secret value is not shown in a name of the structured part, at any level', () => {
  const secret = 'key-"0123456789"-secret';
  for (const name of [secret, `before ${secret} after`, JSON.stringify({ t: secret })])
    for (const structured of [{ [name]: 1 }, { a: [{ [name]: 'x' }, null] }, { [name]: { [name]: true } }]) {
      const shown = shownAnswer({ ...answer(), structured }, [['KEY', secret]], 2_000);
      expect(JSON.stringify(shown)).not.toContain('0123456789');
      expect(JSON.stringify(shown)).toContain('***KEY***');
    }
  const others = { a: [{ b: 1 }], c: 'd' };
  expect(shownAnswer({ ...answer(), structured: others }, [['KEY', secret]], 2_000).structured).toEqual(others);
});

it('no beginning of a secret value is left in the type of a part that is left out', () => {
  const secret = 'key-0123456789-secret';
  const part: RemoteContent = { type: 'image', mimeType: `${'x'.repeat(50)}${secret}`, data: 'A'.repeat(5_000) };
  const shown = JSON.stringify(shownAnswer(answer(part), [['KEY', secret]], 2_000));
  expect(shown).toContain('was left out');
  expect(shown).not.toContain(secret.slice(0, 5));
});

it('whatever a server sends, its answer keeps to the bound', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }).map(text),
    fc.nat(3_000).map(image),
    fc
      .record({ uri: fc.string({ maxLength: 600 }), text: fc.string({ unit: 'binary', maxLength: 900 }) })
      .map((resource): RemoteContent => ({ type: 'resource', resource })),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.jsonValue(), (content, structured) => {
      expect(bytesOf(shownAnswer({ content, structured, is_error: false }, [], 3_000))).toBeLessThanOrEqual(3_000);
    }),
  );
});
