// SPDX-License-Identifier: Apache-2.0
// What a model is told about output that was cut: by the tool, on its way, and by the dialect itself.
import fc from 'fast-check';
import { DIALECTS, type DialectCall, type DialectName } from './dialect.ts';
import { render } from './dialects.ts';
import { DIALECT_LIMITS } from './limits.ts';
import { bytesOf, cutResult, headOf, linesOf, type Cut } from './text/cut.ts';

const callOf = (tool_id: string, show: DialectCall['show'] = {}): DialectCall => ({
  id: 'c1',
  name: 'command',
  tool_id,
  args: {},
  mode: 'run',
  show,
  at: 0,
});
const told = (dialect: DialectName, call: DialectCall, result: unknown): string =>
  JSON.stringify(
    render(dialect, { calls: [call], problems: [] }, new Map([['c1', { standing: 'completed', result, error: null }]])),
  );

/** The counts in the fields of a dialect, wherever they are: as JSON, as JSON in a text, as attributes. */
function fieldsIn(said: string): Partial<Cut> {
  const fields = said.matchAll(/(bytes_shown|bytes_total|lines_shown|lines_total)(?:\\*"\s*:|=\\*")\s*(\d+)/g);
  return Object.fromEntries([...fields].map(([, name, count]) => [name, Number(count)]));
}
const NOTICE = /… \[cut: [^\]]*\]/g;

const LINE = `${'x'.repeat(99)}\n`;
const LONG = LINE.repeat(DIALECT_LIMITS.shownChars / 50);
const TOTAL = DIALECT_LIMITS.shownChars * 2;
const ran = (output: string, more: object = {}): object => ({ exit_code: 0, output, truncated_bytes: 0, ...more });

/** The same output, cut at each stage on its way to the model, and the counts of it. */
const STAGES: readonly (readonly [what: string, tool_id: string, result: unknown, cut: Partial<Cut>])[] = [
  [
    'by its tool',
    'shell.run',
    ran('one\ntwo\n\n[output cut: 992 more bytes]', { truncated_bytes: 992, output_bytes: 1_000 }),
    { bytes_shown: 8, bytes_total: 1_000, lines_shown: 2 },
  ],
  [
    'by its tool, which counted the lines in all',
    'shell.run',
    ran('one\ntwo\n\n[output cut: 992 more bytes]', { truncated_bytes: 992, output_bytes: 1_000, output_lines: 40 }),
    { bytes_shown: 8, bytes_total: 1_000, lines_shown: 2, lines_total: 40 },
  ],
  [
    'by a tool that does not count it in all',
    'kubectl_get',
    ran('one\ntwo\n\n[output cut: 992 more bytes]', { truncated_bytes: 992 }),
    { bytes_shown: 8, bytes_total: 1_000, lines_shown: 2 },
  ],
  [
    'on its way',
    'shell.run',
    cutResult('shell.run', ran(LONG), 1_000),
    { bytes_shown: 1_000, bytes_total: TOTAL, lines_shown: 10, lines_total: TOTAL / 100 },
  ],
  [
    'by its tool and on its way',
    'shell.session',
    cutResult('shell.session', ran(`${LONG}\n[output cut: 70 more bytes]`, { truncated_bytes: 70 }), 1_000),
    { bytes_shown: 1_000, bytes_total: TOTAL + 70, lines_shown: 10 },
  ],
  [
    'by its dialect',
    'shell.run',
    ran(LONG),
    {
      bytes_shown: DIALECT_LIMITS.shownChars,
      bytes_total: TOTAL,
      lines_shown: DIALECT_LIMITS.shownChars / 100,
      lines_total: TOTAL / 100,
    },
  ],
  [
    'at every stage',
    'shell.run',
    cutResult(
      'shell.run',
      cutResult('shell.run', ran(`${LONG}\n[output cut: 70 more bytes]`, { truncated_bytes: 70 }), 2_000),
      300,
    ),
    { bytes_shown: 300, bytes_total: TOTAL + 70, lines_shown: 3 },
  ],
  [
    'as a part of a file',
    'fs.read',
    { path: 'a', content: 'one\n', encoding: 'utf8', size: 900, lines: 30, truncated: true },
    { bytes_shown: 4, bytes_total: 900, lines_shown: 1, lines_total: 30 },
  ],
];

describe.each(DIALECTS)('%s', (dialect) => {
  it.each(STAGES)(
    'output that was cut %s has one notice, and the same counts as fields',
    (_what, tool_id, result, cut) => {
      const said = told(dialect, callOf(tool_id), result);
      const notices = said.match(NOTICE) ?? [];
      expect(notices).toHaveLength(1);
      expect(notices[0]).toContain(`${String(cut.bytes_shown)} of ${String(cut.bytes_total)} bytes`);
      expect(notices[0]).toContain(
        cut.lines_total === undefined ? `${String(cut.lines_shown)} lines` : `of ${cut.lines_total} lines`,
      );
      expect(fieldsIn(said)).toEqual(cut);
      expect(said).not.toContain('more bytes]');
    },
  );

  it('a page whose text was cut says that there is more, since nobody counted it', () => {
    const said = told(dialect, callOf('web.fetch'), { url: 'u', text: 'one\ntwo', size: 9_000, truncated: true });
    expect([said.match(NOTICE), fieldsIn(said)]).toEqual([
      ['… [cut: 7 bytes, 2 lines shown, and there is more]'],
      { bytes_shown: 7, lines_shown: 2 },
    ]);
  });

  it('output that fits has no notice and no counts', () => {
    const said = told(dialect, callOf('shell.run'), ran(LINE.repeat(10)));
    expect([said.match(NOTICE), fieldsIn(said)]).toEqual([null, {}]);
  });
});

it('a limit that the model sets is counted like any other', () => {
  const said = told('yips', callOf('fs.read', { chars_max: 5 }), {
    path: 'a',
    content: 'one\ntwo\n',
    truncated: false,
  });
  expect([said.match(NOTICE), fieldsIn(said)]).toEqual([
    ['… [cut: 5 of 8 bytes, 2 of 2 lines shown]'],
    { bytes_shown: 5, bytes_total: 8, lines_shown: 2, lines_total: 2 },
  ]);
});

it.each(['yips', 'tools-xml'] as const)('%s: a list that its tool cut says that there is more', (dialect) => {
  const entries = ['a', 'b'].map((path) => ({ path, kind: 'file', size: 1 }));
  expect(told(dialect, callOf('fs.list'), { path: '', entries, truncated: true }).match(NOTICE)).toEqual([
    '… [cut: 3 bytes, 2 lines shown, and there is more]',
  ]);
});

it('bytes and lines are those of the text as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat({ max: 20 }), (text, chars) => {
      expect(bytesOf(text)).toBe(Buffer.byteLength(text));
      const head = headOf(text, chars);
      expect(text.startsWith(head) && head.length <= chars && bytesOf(head) <= bytesOf(text)).toBe(true);
      expect(linesOf(`a\n${head}`)).toBe(1 + linesOf(head));
    }),
  );
  expect(['', 'a', 'a\n', 'a\nb', '\n\n'].map(linesOf)).toEqual([0, 1, 1, 2, 2]);
});
