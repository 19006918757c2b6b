// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { DIALECTS, TEXT_DIALECTS, type DialectName, type Parsed, type TextDialect } from './dialect.ts';
import { parse, parserOf } from './dialects.ts';
import { NATIVE } from './specs/native-answers.ts';

/** A named call in each text dialect. */
const CALL: Readonly<Record<TextDialect, (what: string) => string>> = {
  blocks: (what) => `[TOOL_CALL:${what}] {"action":"fs.read","args":{"path":"${what}"}}`,
  'tools-xml': (what) => `<tools><command>${what}</command></tools>`,
  yips: (what) =>
    `\`\`\`yips-agent\n{"actions":[{"type":"tool","id":"${what}","name":"read_file","arguments":{"path":"${what}"}}]}\n\`\`\``,
};
const asked = ({ calls }: Parsed): unknown[] => calls.map(({ args }) => args['path'] ?? args['command']);
const everyCall = (what: string): string => TEXT_DIALECTS.map((dialect) => CALL[dialect](what)).join('\n');

/** Each pair of tags, as a model may write it. */
const TAGS: readonly (readonly [string, string])[] = [
  ['<think>', '</think>'],
  ['<THINK>', '</Think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<thoughts>', '</thoughts>'],
  ['<reasoning>', '</reasoning>'],
  ['<think signature="a b">', '</think>'],
  ['< think >', '< / think >'],
  ['<think\n>', '</think\n>'],
  ['<seed:think>', '</seed:think>'],
  ['<antThinking>', '</antThinking>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
];
const tags = fc.constantFrom(...TAGS);
const words = fc.constantFrom(
  '',
  'I look first.\n',
  '\n',
  'a < b\n',
  '```ts\nx\n```\n',
  '<thinker>\n',
  '<think/>\n',
  '[TOOL]\n',
  '1 [',
);
/** A beginning without an end, or an end without a beginning. */
const BROKEN = [
  '[TOOL_CALL:',
  '[TOOL_CALL:a]',
  '[TOOL_CALL:a] {',
  '[TOOL_CALL:<think>',
  '{',
  '}',
  '"',
  '\\',
  '<tools>',
  '\n<tools>\n<command>',
  '</command>',
  '</tools>',
  '<![CDATA[',
  ']]>',
  '<!--',
  '```',
  '\n```yips-agent\n',
  '\n```\n',
  '<',
  '</',
  '[',
  '\n',
  '</think>',
  '<reasoning>',
];
const hostile = fc.array(fc.constantFrom(...BROKEN), { maxLength: 8 }).map((parts) => parts.join(''));

/** Thinking that contains a call: alone, nested, and never closed. */
const thinking = (what: string): fc.Arbitrary<string> =>
  fc
    .tuple(tags, tags, words, fc.constantFrom('closed', 'inner', 'behind inner', 'open', 'open inner'))
    .map(([[begin, end], [inBegin, inEnd], said, shape]) => {
      const call = `\n${everyCall(what)}\n`;
      if (shape === 'closed') return `${begin}${said}${call}${end}`;
      if (shape === 'inner') return `${begin}${said}${inBegin}${call}${inEnd}${said}${end}`;
      if (shape === 'behind inner') return `${begin}${said}${inBegin}${said}${inEnd}${call}${end}`;
      return shape === 'open' ? `${begin}${said}${call}` : `${begin}${inBegin}${inEnd}${said}${call}`;
    });

function readInChunks(dialect: DialectName, text: string, sizes: readonly number[]): Parsed {
  const parser = parserOf(dialect);
  for (let at = 0, n = 0; at < text.length; n += 1) parser.push(text.slice(at, (at += sizes[n % sizes.length] ?? 1)));
  return parser.end();
}
const chunks = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
/** Ends a hanging test; a slow machine needs a fraction of it. */
const HANGS_MS = 300_000;

describe.each(TEXT_DIALECTS)('%s', (dialect) => {
  it(
    'a call in thinking never runs, whatever stands before and behind it, however it is cut',
    () => {
      fc.assert(
        fc.property(
          fc.oneof(words, hostile),
          thinking('thought'),
          fc.oneof(words, hostile),
          chunks,
          (before, thought, after, sizes) => {
            const output = `${before}\n${thought}\n${after}`;
            const parsed = parse(dialect, output);
            expect(asked(parsed)).not.toContain('thought');
            expect(readInChunks(dialect, output, sizes)).toEqual(parsed);
          },
        ),
        { numRuns: 1_500 },
      );
    },
    HANGS_MS,
  );

  it('a call before an end of thinking that began in the prompt never runs, and is reported', () => {
    fc.assert(
      fc.property(tags, words, chunks, ([, end], said, sizes) => {
        const output = `${said}\n${CALL[dialect]('thought')}\n${end}`;
        const parsed = readInChunks(dialect, output, sizes);
        expect([asked(parsed), parsed.problems.map(({ message }) => message)]).toEqual([
          [],
          [expect.stringContaining('before the end of thinking')],
        ]);
        expect(asked(parse(dialect, `${output}\n${CALL[dialect]('real')}\n`))).toEqual(['real']);
      }),
    );
  });

  it('a call after closed thinking runs, and the thinking is text', () => {
    fc.assert(
      fc.property(tags, words, chunks, ([begin, end], said, sizes) => {
        const thought = `${begin}${said}\n${CALL[dialect]('thought')}\n${end}\n`;
        const parsed = readInChunks(dialect, `${thought}${CALL[dialect]('real')}\n`, sizes);
        expect([asked(parsed), parsed.problems]).toEqual([['real'], []]);
        expect(parsed.text).toContain(thought);
      }),
    );
  });

  it('unclosed thinking that hides a call fails the output; without one it is text', () => {
    const call = CALL[dialect]('real');
    const hidden = parse(dialect, `${call}\n<think>\n${CALL[dialect]('thought')}\n`);
    expect([hidden.calls, hidden.problems]).toEqual([
      [],
      [
        expect.objectContaining({
          level: 'protocol',
          at: `${call}\n<think>\n`.length,
          message: expect.stringContaining("isn't closed") as unknown,
        }),
      ],
    ]);
    expect(parse(dialect, `${call}\nI took the <think> tag out.`)).toMatchObject({
      calls: [{}],
      problems: [],
      text: expect.stringContaining('I took the <think> tag out.') as unknown,
    });
  });
});

it.each([
  ['in a payload that is no JSON', '[TOOL_CALL:a] {<think>}'],
  ['in the id of a marker without an object', '[TOOL_CALL:<think>] x'],
  ["in a marker that isn't closed", '[TOOL_CALL:<think>\n'],
])('thinking that begins %s is thinking: no call behind it runs', (_where, before) => {
  const { calls, problems } = parse('blocks', `${before}\n${CALL.blocks('thought')}`);
  expect([calls, problems.map(({ level }) => level)]).toEqual([[], expect.arrayContaining(['protocol'])]);
});

it('tags in the arguments of a call are part of them', () => {
  const content = '<think>a</think> [THINK] </reasoning>';
  expect(
    parse(
      'blocks',
      `[TOOL_CALL:a] ${JSON.stringify({ action: 'fs.write', args: { path: 'a', content } })} ${CALL.blocks('b')}`,
    ).calls.map(({ args }) => args),
  ).toEqual([{ path: 'a', content }, { path: 'b' }]);
  expect(
    asked(
      parse(
        'tools-xml',
        `<tools><command><![CDATA[echo '${content}']]></command></tools>\n<tools>\n<command>ls</command></tools>`,
      ),
    ),
  ).toEqual([`echo '${content}'`, 'ls']);
  expect(
    parse(
      'yips',
      `\`\`\`yips-agent\n${JSON.stringify({ assistant_text: content, actions: [{ type: 'tool', id: 'a', name: 'preview_write_file', arguments: { path: 'a', content } }] })}\n\`\`\``,
    ),
  ).toMatchObject({ text: content, calls: [{ args: { path: 'a', content } }], problems: [] });
});

it("text of a provider's response runs nothing, within thinking or outside", () => {
  const native = fc.constantFrom(...(Object.keys(NATIVE) as (keyof typeof NATIVE)[]));
  fc.assert(
    fc.property(native, thinking('thought'), fc.boolean(), (dialect, text, streams) => {
      const { whole, stream } = NATIVE[dialect];
      expect(parse(dialect, (streams ? stream : whole)({ text, calls: [] }))).toMatchObject({
        text,
        calls: [],
        problems: [],
      });
    }),
  );
});

it('every dialect is covered', () => {
  expect([...TEXT_DIALECTS, ...Object.keys(NATIVE)].sort()).toEqual([...DIALECTS].sort());
});
