// SPDX-License-Identifier: Apache-2.0
import { shownSchema, shownText } from './shown-text.ts';
import { toolEntry } from './tool-entries.ts';
import { FS_READ } from '@writ/contract';

const FORGED = 'reads\u001b[2J\u001b]0;title\u0007 \u009b31m\u202eelif\u2066\u200f\u0000';

test('a text has no terminal sequence and no mark of direction, and keeps its lines and its other letters', () => {
  expect(shownText(FORGED)).toMatch(/^reads\ufffd\[2J\ufffd\]0;title\ufffd \ufffd31m\ufffdelif\ufffd+$/);
  expect(shownText('a\n\tb é 日本 👩🏽')).toBe('a\n\tb é 日本 👩🏽');
});

test('a schema loses them in titles and descriptions, and keeps what checks values', () => {
  const schema = {
    type: 'object',
    description: FORGED,
    properties: {
      description: { type: 'string', title: FORGED, enum: ['\u001b', 'b'], pattern: '^\u001b$', default: '\u001b' },
    },
    anyOf: [{ description: FORGED, const: '\u001b' }],
  };
  const shown = shownSchema(schema);
  expect(shown.properties.description).toMatchObject({ enum: ['\u001b', 'b'], pattern: '^\u001b$', default: '\u001b' });
  expect(shown.anyOf[0]!.const).toBe('\u001b');
  for (const text of [shown.description, shown.properties.description.title, shown.anyOf[0]!.description])
    expect(text).toBe(shownText(FORGED));
});

test('a schema asks for no argument in a header, and a member of that name stays', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  expect(shownSchema({ type: 'object', properties: { region, 'x-mcp-header': { type: 'string' } } })).toEqual({
    type: 'object',
    properties: { region: { type: 'string' }, 'x-mcp-header': { type: 'string' } },
  });
});

test('a listed tool shows its descriptions so', () => {
  const { description, inputSchema } = toolEntry({ ...FS_READ, description: FORGED });
  expect(description).toBe(shownText(FORGED));
  expect(JSON.stringify(inputSchema)).not.toMatch(/\\u001b/);
});
