// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { contentsOf } from './sent-content.ts';

const read = (content: string, encoding = 'base64') =>
  contentsOf([{ content: 'x' }, { content, encoding }], (index) => `/files/${index}/content`);

it.each([0, 1, 2, 3, 300_000, 700_001])(
  '%d bytes come as they were sent, in base64 of one part or several',
  async (length) => {
    const bytes = randomBytes(length);
    expect((await read(bytes.toString('base64')))[1]).toEqual(bytes);
  },
);

it('a text is its bytes', async () => {
  expect((await read('ü', 'utf8'))[1]).toEqual(Buffer.from('ü'));
});

it.each([
  ['a character that is none', 'AA*A'],
  ['no padding', 'AA'],
  ['bits that stand for nothing', 'AB=='],
  ['padding in the middle', 'AA==AAAA'],
  ['padding at the end of a part that is not the last', `${'A'.repeat(256 * 1024 - 2)}==AAAA`],
  ['a line end', 'AAAA\n'],
])('what is not base64 is refused with its place: %s', async (_what, content) => {
  await expect(read(content)).rejects.toMatchObject({ code: 'request.malformed', pointer: '/files/1/content' });
});
