// SPDX-License-Identifier: Apache-2.0
// INVARIANT (one action), across all dialects: the same call has the same action digest, whatever it was written in.
import { definitionForDigest, TOOLS } from '@writ/contract';
import { actionDigest, argsHash, canonicalBytes, sha256Hex } from '@writ/digest';
import { DIALECTS, type Args, type DialectName } from './dialect.ts';
import { nativeNameOf } from './aliases/native.ts';
import { parse } from './dialects.ts';
import { NATIVE } from './specs/native-answers.ts';

const SALT = new Uint8Array(32).fill(7);

function digestOf(dialect: DialectName, output: string): string {
  const { calls, problems } = parse(dialect, output);
  const [call, second] = calls;
  if (call === undefined || second !== undefined || problems.length > 0)
    throw new Error(`${dialect}: one call was expected, not ${JSON.stringify({ calls, problems })}`);
  const tool = TOOLS.get(call.tool_id);
  const definition = tool === undefined ? null : sha256Hex(canonicalBytes(definitionForDigest(tool)));
  return actionDigest({
    tool_id: call.tool_id,
    tool_definition_digest: definition,
    args_hash: argsHash(SALT, call.args),
    capability_token_id: 'cap_1',
    policy_hash: 'p',
    state_snapshot_id: 's',
    image_digest: null,
  });
}

const blocks = (tool_id: string, args: Args): string => `[TOOL_CALL:c1] ${JSON.stringify({ action: tool_id, args })}`;
const yips = (name: string, args: Args, type = 'tool'): string =>
  `\`\`\`yips-agent\n${JSON.stringify({ actions: [{ type, id: 'c1', name, arguments: args }] })}\n\`\`\``;
const old = (list: string, name: string, args: Args): string =>
  `\`\`\`yips-tools\n${JSON.stringify({ [list]: [{ id: 'c1', name, arguments: args }] })}\n\`\`\``;
const xml = (inside: string): string => `<tools>\n  ${inside}\n</tools>`;

interface Case {
  readonly tool_id: string;
  readonly args: Args;
  readonly xml?: string;
  readonly yips?: readonly string[];
  readonly blocks?: readonly string[];
}
const CASES: Readonly<Record<string, Case>> = {
  'a read': {
    tool_id: 'fs.read',
    args: { path: 'README.md' },
    xml: xml('<read><file src="README.md"/></read>'),
    yips: [
      yips('read_file', { path: 'README.md' }),
      yips('read_file', { path: 'README.md', maxBytes: 100 }),
      old('tool_calls', 'read_file', { path: 'README.md' }),
    ],
  },
  'a list': {
    tool_id: 'fs.list',
    args: { path: 'src/' },
    xml: xml('<read><file src="src/"/></read>'),
    yips: [yips('list_dir', { path: 'src/' })],
  },
  'a search': {
    tool_id: 'fs.search',
    args: { pattern: 'a|b', regex: true, path: 'src', max: 5 },
    xml: xml('<read><search max="5" src="src" regex="true" pattern="a|b"/></read>'),
    yips: [yips('grep', { pattern: 'a|b', path: 'src', maxMatches: 5 })],
  },
  'an edit': {
    tool_id: 'fs.edit',
    args: { path: 'a.ts', edits: [{ find: 'x < y', replace: 'x > y' }] },
    xml: xml('<edit><file src="a.ts"><find><![CDATA[x < y]]></find><replace>x &gt; y</replace></file></edit>'),
    yips: [
      yips('preview_edit_file', { path: 'a.ts', oldText: 'x < y', newText: 'x > y' }),
      yips('edit_file', { path: 'a.ts', newText: 'x > y', oldText: 'x < y' }),
    ],
  },
  'an edit of several files': {
    tool_id: 'fs.edit_files',
    args: {
      files: [
        { path: 'a', edits: [{ find: 'x', replace: 'y', count: 'all' }] },
        { path: 'b', edits: [{ find: 'x', replace: '' }] },
      ],
    },
    xml: xml(
      '<edit><file src="a"><find count="all">x</find><replace>y</replace></file><file src="b"><find>x</find><replace/></file></edit>',
    ),
  },
  'a write': {
    tool_id: 'fs.write',
    args: { path: 'a.txt', content: 'one\ntwo\n' },
    yips: [
      yips('preview_write_file', { path: 'a.txt', content: 'one\ntwo\n' }),
      yips('write_file', { content: 'one\ntwo\n', path: 'a.txt' }),
    ],
  },
  'a command': {
    tool_id: 'shell.run',
    args: { command: 'npm test', timeout_ms: 5000 },
    yips: [
      yips('run_command', { command: 'npm test', timeoutMs: 5000 }),
      yips('build', { command: 'npm test', timeoutMs: 5000 }, 'skill'),
    ],
  },
  'a command of the session': {
    tool_id: 'shell.session',
    args: { command: 'npm i && echo "${secret:NPM_TOKEN}"' },
    xml: xml('<command>\n\nnpm i &amp;&amp; echo "$KARYI{NPM_TOKEN}"\n  </command>'),
    yips: [yips('virtual_terminal', { command: 'npm i && echo "${secret:NPM_TOKEN}"' }, 'skill')],
  },
  'a page': {
    tool_id: 'web.fetch',
    args: { url: 'https://example.com/', max_chars: 500 },
    yips: [
      yips('fetch', { url: 'https://example.com/', maxChars: 500 }, 'skill'),
      old('skill_calls', 'fetch', { maxChars: 500, url: 'https://example.com/' }),
    ],
  },
  'a search of the web': {
    tool_id: 'web.search',
    args: { query: 'x', max_results: 3 },
    yips: [
      yips('search', { query: 'x', maxResults: 3 }, 'skill'),
      old('skill_calls', 'search', { maxResults: 3, query: 'x' }),
    ],
  },
  'a look for what is to be done': {
    tool_id: 'fs.search',
    args: { pattern: '\\b(?:TODO|FIXME)\\b', regex: true, path: 'src' },
    xml: xml('<read><search src="src" regex="true" pattern="\\b(?:TODO|FIXME)\\b"/></read>'),
    yips: [yips('todos', { path: 'src' }, 'skill'), old('skill_calls', 'todos', { path: 'src' })],
  },
  'a skill': {
    tool_id: 'skill.read',
    args: { skill: 'release', path: 'steps.md' },
    blocks: ['[TOOL_CALL:c1] {"path":"steps.md","targetId":"release","action":"access_skill"}'],
  },
  'a value': {
    tool_id: 'value.get',
    args: { key: 'NPM_TOKEN', reason: 'to publish' },
    xml: xml('<get_value reason="to publish" key="NPM_TOKEN"/>'),
  },
};

test.each(Object.entries(CASES))(
  '%s has one digest in every dialect that can say it',
  (_what, { tool_id, args, xml: inXml, yips: inYips = [], blocks: inBlocks = [] }) => {
    const native = { text: '', calls: [{ id: 'c1', name: nativeNameOf(tool_id), args }] };
    const said: (readonly [DialectName, string])[] = [
      ['blocks', blocks(tool_id, args)],
      ...(inXml === undefined ? [] : [['tools-xml', inXml] as const]),
      ...inBlocks.map((output) => ['blocks', output] as const),
      ...inYips.map((output) => ['yips', output] as const),
      ...Object.entries(NATIVE).flatMap(([name, { whole, stream }]) => [
        [name as DialectName, whole(native)] as const,
        [name as DialectName, stream(native)] as const,
      ]),
    ];
    expect([...new Set(said.map(([dialect, output]) => digestOf(dialect, output)))]).toHaveLength(1);
  },
);

test('every dialect is covered', () => {
  const parts = new Set<string>([
    'blocks',
    ...Object.keys(NATIVE),
    ...(Object.values(CASES).some((each) => each.xml !== undefined) ? ['tools-xml'] : []),
    ...(Object.values(CASES).some((each) => each.yips !== undefined) ? ['yips'] : []),
  ]);
  expect([...parts].sort()).toEqual([...DIALECTS].sort());
});
