// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { parse } from '../dialects.ts';
import { escapeVariables, fillVariables, unfilledVariable } from './variables.ts';

const read = (output: string): ReturnType<typeof parse> => parse('tools-xml', output);
const calls = (output: string): unknown[] =>
  read(output).calls.map(({ id, name, tool_id, args }) => ({ id, name, tool_id, args }));
const block = (inside: string): string => `<tools>${inside}</tools>`;
const args = (inside: string): unknown => read(block(inside)).calls[0]?.args;
const messages = (output: string): string[] => read(output).problems.map(({ message }) => message);

describe('the tools of the document', () => {
  it('command: a script in the terminal of the session, without blank lines around it', () => {
    expect(calls('<tools>\n  <command>\n    npm install\n    npm run build\n  </command>\n</tools>\n')).toEqual([
      { id: 't1', name: 'command', tool_id: 'shell.session', args: { command: '    npm install\n    npm run build' } },
    ]);
  });

  it('edit: one file is a single edit, several are one edit together', () => {
    const first =
      '<file src="src/config.ts">\n<find>const API_URL = "http://localhost:3000";</find>\n<replace>const API_URL = "https://api.production.com";</replace>\n</file>';
    const second =
      '<file src="README.md"><find>Project Alpha</find><replace>Project Karyi</replace><find>This is a private project.</find><replace>This is an open-source project.</replace></file>';
    const edits = [
      {
        path: 'src/config.ts',
        edits: [
          {
            find: 'const API_URL = "http://localhost:3000";',
            replace: 'const API_URL = "https://api.production.com";',
          },
        ],
      },
      {
        path: 'README.md',
        edits: [
          { find: 'Project Alpha', replace: 'Project Karyi' },
          { find: 'This is a private project.', replace: 'This is an open-source project.' },
        ],
      },
    ];
    expect(calls(block(`<edit><!-- one -->${first}</edit>`))).toEqual([
      { id: 't1', name: 'edit', tool_id: 'fs.edit', args: edits[0] },
    ]);
    expect(calls(block(`<edit>${first}${second}</edit>`))).toEqual([
      { id: 't1', name: 'edit', tool_id: 'fs.edit_files', args: { files: edits } },
    ]);
  });

  it('read: files, directories by their slash, and searches, each a call', () => {
    expect(
      calls(
        block(
          '<read><!-- x --><file src="package.json"/><file src="src/"/><search src="src/" pattern="a|b" regex="true" max="5"/></read><read><file src="."/></read>',
        ),
      ),
    ).toEqual([
      { id: 't1.1', name: 'read file', tool_id: 'fs.read', args: { path: 'package.json' } },
      { id: 't1.2', name: 'read file', tool_id: 'fs.list', args: { path: 'src/' } },
      {
        id: 't1.3',
        name: 'read search',
        tool_id: 'fs.search',
        args: { pattern: 'a|b', path: 'src/', regex: true, max: 5 },
      },
      { id: 't2.1', name: 'read file', tool_id: 'fs.list', args: { path: '.' } },
    ]);
  });

  it('get_value, with and without a note', () => {
    expect(
      args('<get_value key="NPM_TOKEN" reason="需要认证才能将 package 发布到 npm registry。" note="用于发布"/>'),
    ).toEqual({ key: 'NPM_TOKEN', reason: '需要认证才能将 package 发布到 npm registry。', note: '用于发布' });
    expect(args('<get_value key="A" reason="b"/>')).toEqual({ key: 'A', reason: 'b' });
  });

  it('input decodes its escapes, and adds no line end', () => {
    expect(args('<input>y\\n</input>')).toEqual({ input: 'y\n' });
    expect(args('<input>\\t\\\\n\\x1b[A y</input>')).toEqual({ input: '\t\\n\u001b[A y' });
    expect(messages(block('<input>\\d</input>'))).toEqual(['`\\d` is no escape: `\\n`, `\\t`, `\\\\` and `\\xHH` are']);
  });

  it('ctrl ignores case', () => {
    expect(args('<ctrl>c</ctrl>')).toEqual({ ctrl: 'c' });
    expect(args('<ctrl> C </ctrl>')).toEqual({ ctrl: 'c' });
    expect(messages(block('<ctrl>x</ctrl>'))).toEqual(['`<ctrl>` takes one of `c`, `d`, `z`, `\\`']);
  });

  it('a variable in a command or an input is a reference to the secret of its name', () => {
    const command =
      '<command>\n    curl -X POST \\\n      -H "Authorization: Bearer $KARYI{GITHUB_TOKEN}" \\\n      -d \'{"event_type": "deploy"}\' \\\n      https://api.github.com/repos/user/repo/dispatches\n  </command>';
    expect(args(command)).toEqual({ command: expect.stringContaining('Bearer ${secret:GITHUB_TOKEN}" \\') as unknown });
    expect(args('<input>$KARYI{PASSWORD}\\n</input>')).toEqual({ input: '${secret:PASSWORD}\n' });
  });

  it.each([
    ['a path', '<read><file src="$KARYI{DIR}/a"/></read>', { path: '$KARYI{DIR}/a' }, { path: 'v/a' }],
    [
      'a pattern',
      '<read><search pattern="$KARYI{DIR}" src="$KARYI{DIR}"/></read>',
      { pattern: '$KARYI{DIR}', path: '$KARYI{DIR}' },
      { pattern: 'v', path: 'v' },
    ],
    [
      'find and replace',
      '<edit><file src="a"><find>$KARYI{DIR}</find><replace>$$KARYI{DIR} $KARYI{DIR}</replace></file></edit>',
      { path: 'a', edits: [{ find: '$KARYI{DIR}', replace: '$$KARYI{DIR} $KARYI{DIR}' }] },
      { path: 'a', edits: [{ find: 'v', replace: '$KARYI{DIR} v' }] },
    ],
    [
      'a reason',
      '<get_value key="A" reason="for $KARYI{DIR}"/>',
      { key: 'A', reason: 'for $KARYI{DIR}' },
      { key: 'A', reason: 'for v' },
    ],
  ])('a variable in %s waits to be filled in', (_where, inside, written, filled) => {
    const [call] = read(block(inside)).calls;
    expect([call?.args, call?.variables]).toEqual([written, ['DIR']]);
    expect(fillVariables(call?.args ?? {}, { DIR: 'v' })).toEqual(filled);
  });

  it('what is filled in is not read as a variable again', () => {
    expect(fillVariables({ path: '$KARYI{A}$KARYI{B}' }, { A: '$KARYI{B}$', B: '$$KARYI{A}' })).toEqual({
      path: '$KARYI{B}$$$KARYI{A}',
    });
  });

  it.each([
    ['<command>echo $KARYI{no name}</command>', 'names no variable'],
    ['<edit><file src="a"><find>x</find><replace>$KARYI{x}</replace></file></edit>', '`$$KARYI{` writes the text'],
    ['<read><search pattern="a" max="$KARYI{N}"/></read>', '`max` is a number'],
    ['<ctrl>$KARYI{C}</ctrl>', '`<ctrl>` takes one of'],
    [
      `<read><search pattern="${Array.from({ length: 17 }, (_, n) => `$KARYI{V${n}}`).join('')}"/></read>`,
      'it names 17 variables: 16 at most',
    ],
  ])('%s is a problem', (inside, message) => {
    expect([calls(block(inside)), messages(block(inside))]).toEqual([[], [expect.stringContaining(message)]]);
  });

  it('any text can be written literally, in every place', () => {
    const text = fc
      .array(fc.constantFrom('$', '$$', '$KARYI{', 'KARYI{', 'A}', '}', 'A', ' x '), { minLength: 1, maxLength: 8 })
      .map((parts) => `a${parts.join('')}a`);
    fc.assert(
      fc.property(text, (literal) => {
        const escaped = escapeVariables(literal);
        expect(args(`<command>${escaped}</command>`)).toEqual({ command: literal });
        expect(args(`<input>${escaped}</input>`)).toEqual({ input: literal });
        expect(args(`<read><search src="${escaped}" pattern="${escaped}"/></read>`)).toEqual({
          path: literal,
          pattern: literal,
        });
        expect(args(`<edit><file src="a"><find>${escaped}</find><replace>${escaped}</replace></file></edit>`)).toEqual({
          path: 'a',
          edits: [{ find: literal, replace: literal }],
        });
      }),
    );
  });

  it('a variable that can not be filled in is named with its place and the remedy', () => {
    const [call] = read(block('<edit><file src="a"><find>x</find><replace>$KARYI{A}</replace></file></edit>')).calls;
    expect(unfilledVariable({ args: call?.args ?? {} }, 'A')).toEqual({
      message: expect.stringContaining('`$KARYI{A}` stands in `<replace>`') as unknown,
      hint: expect.stringContaining('`<get_value key="A" reason="…" secret="false"/>`') as unknown,
    });
  });
});

describe('text of find and replace', () => {
  const edited = (find: string, replace = 'r'): unknown =>
    args(`<edit><file src="a"><find>${find}</find><replace>${replace}</replace></file></edit>`);
  it.each([
    ['stands exactly', '  a\n b ', '  a\n b '],
    ['loses one line end on each side where both tags stand on lines of their own', '\n  a\n  b\n', '  a\n  b'],
    ['with the indentation of the closing tag', '\n  a\n      ', '  a'],
    ['keeps a line end that stands on one side alone', '\na', '\na'],
    ['keeps more of them', '\n\na\n\n', '\na\n'],
    ['may be CDATA and the five entities', '<![CDATA[<a> & ]]>&lt;&amp;&gt;&apos;&quot;', '<a> & <&>\'"'],
  ])('%s', (_what, written, find) => {
    expect(edited(written)).toEqual({ path: 'a', edits: [{ find, replace: 'r' }] });
  });

  it('counts its matches', () => {
    expect(args('<edit><file src="a"><find count="all">x</find><replace/></file></edit>')).toEqual({
      path: 'a',
      edits: [{ find: 'x', replace: '', count: 'all' }],
    });
    expect(args('<edit><file src="a"><find count="3">x</find><replace/></file></edit>')).toEqual({
      path: 'a',
      edits: [{ find: 'x', replace: '', count: 3 }],
    });
  });
});

describe('the position of a block', () => {
  const COMMAND = '<tools><command>ls</command></tools>';
  it.each([
    ['alone', COMMAND, ''],
    ['between words', `Before.\n  ${COMMAND}\nAfter.`, 'Before.\nAfter.'],
    ['in a fence, which goes with it', `Before.\n\`\`\`xml\n${COMMAND}\n\`\`\`\nAfter.`, 'Before.\nAfter.'],
    ['as `tools` of an object', JSON.stringify({ reply: 'Hi.', tools: COMMAND }), 'Hi.'],
    [
      'as `tools` of an object in a fence',
      `\`\`\`json\n${JSON.stringify({ reply: 'Hi.', tools: `\n${COMMAND}\n` }, null, 2)}\n\`\`\`\n`,
      'Hi.',
    ],
  ])('%s', (_where, output, text) => {
    const parsed = read(output);
    expect([parsed.text, parsed.calls.map((call) => call.args), parsed.problems]).toEqual([
      text,
      [{ command: 'ls' }],
      [],
    ]);
  });

  it.each(['Use the <tools> element.', '{"a": 1}', '{not json', '`<tools>`', '<toolset/>', '```ts\nx\n```\n', ''])(
    '%j is text',
    (output) => {
      expect(read(output)).toEqual({ text: output, calls: [], problems: [], stop: null });
    },
  );

  it('an object may have no calls', () => {
    expect(read('{"reply":"Done.","tools":""}')).toEqual({ text: 'Done.', calls: [], problems: [], stop: null });
  });
  it('a block of comments has no calls', () => {
    expect(read('<tools>\n  <!-- 在这里放置一个或多个工具调用 -->\n</tools>\n')).toEqual({
      text: '',
      calls: [],
      problems: [],
      stop: null,
    });
  });
  it('several blocks share one count', () => {
    expect(read(`${COMMAND}\n${COMMAND}`).calls.map(({ id }) => id)).toEqual(['t1', 't2']);
  });
});

describe('errors are reported, and nothing runs', () => {
  it.each([
    ["a tag that isn't closed", '<tools><command>ls</tools>', /unexpected close tag/],
    ["a block that doesn't end", '<tools><command>ls</command>', /doesn't end/],
    ['a bare ampersand', '<tools><command>a && b</command></tools>', /an `&` that isn't escaped/],
    ['a bare ampersand before a semicolon', '<tools><command>a && b; c</command></tools>', /no XML that is taken/],
    ['an entity beyond the five', '<tools><command>&nbsp;</command></tools>', /undefined entity/],
    ['a document type', '<tools><!DOCTYPE a [<!ENTITY x "y">]><command>&x;</command></tools>', /no XML that is taken/],
    ['a processing instruction', '<tools><?php x?><command>ls</command></tools>', /processing instruction/],
    ['an attribute twice', '<tools><get_value key="A" key="B" reason="c"/></tools>', /duplicate attribute/],
    ['attributes of the block', '<tools a="b"><command>ls</command></tools>', /no attributes/],
    ['elements too deep', '<tools><a><a><a><a><a><a><a/></a></a></a></a></a></a></tools>', /deep/],
    [
      'an object that is no JSON',
      '{"reply":"x","tools":"<tools><command>ls</command></tools>"',
      /no JSON that is taken/,
    ],
    ['`tools` that is no text', '{"tools":[]}', /must be a text/],
    ['two blocks in one text', JSON.stringify({ tools: '<tools/><tools/>' }), /more than one block/],
  ])('%s', (_what, output, message) => {
    const { calls: none, problems } = read(output);
    expect([none, problems.map(({ level }) => level)]).toEqual([[], expect.arrayContaining(['protocol'])]);
    expect(problems[0]?.message).toMatch(message);
  });

  it.each([
    ['an unknown tool', '<delete path="a"/>', /there is no tool `<delete>`/],
    ['an unknown attribute', '<read><file src="a" lines="3"/></read>', /has no attribute `lines`/],
    ['an attribute that is missing', '<read><file/></read>', /needs the attribute `src`/],
    ['an empty command', '<command> \n </command>', /is empty/],
    ['an empty edit', '<edit/>', /is empty/],
    ['an empty find', '<edit><file src="a"><find/><replace/></file></edit>', /`<find>` is empty/],
    ['a find without its replace', '<edit><file src="a"><find>x</find></file></edit>', /takes pairs/],
    ['an element within a command', '<command>a <b/></command>', /takes text and no elements/],
    ['text within an edit', '<edit>x</edit>', /takes elements and no text/],
    ['text within the block', 'x', /takes elements and no text/],
    ['a count that is none', '<edit><file src="a"><find count="some">x</find><replace/></file></edit>', /`count`/],
  ])('%s', (_what, inside, message) => {
    const { calls: others, problems } = read(block(`${inside}<command>ls</command>`));
    expect([others.map(({ args: each }) => each), problems.map(({ level }) => level)]).toEqual([
      [{ command: 'ls' }],
      ['call'],
    ]);
    expect(problems[0]?.message).toMatch(message);
  });

  it('has the position', () => {
    expect(read('ab\n<tools><nope/></tools>').problems).toEqual([
      expect.objectContaining({ call_id: 't1', name: 'nope', at: 10 }),
    ]);
  });
});
