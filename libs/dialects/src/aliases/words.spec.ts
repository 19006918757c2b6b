// SPDX-License-Identifier: Apache-2.0
// Every message and hint of the sources that names a canonical tool, an argument or a reference to a secret, in the
// words of each dialect.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS, TOOLS } from '@writ/contract';
import { DIALECTS, type DialectName } from '../dialect.ts';
import { parse, render } from '../dialects.ts';
import { NATIVE } from '../specs/native-answers.ts';
import { nativeNameOf } from './native.ts';
import { errorInWords } from './words.ts';

const ROOT = join(import.meta.dirname, '../../../..');
/** The sources of refusals and faults of calls. */
const SOURCES = [
  'apps/kernel/src/admission',
  'apps/kernel/src/judging',
  'apps/kernel/src/execution',
  'apps/executor/src',
  'apps/orchestrator/src/calls',
  'apps/orchestrator/src/runs',
  'libs/cli-tool/src',
  'libs/contract/src',
  'libs/mk8-shell/src',
  'libs/risk/src',
  'libs/workspace/src',
];
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;
const TOKEN = /`([^`]+)`/g;
const IDS: ReadonlySet<string> = new Set(TOOLS.keys());

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('.contract.ts'))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));

/** The texts in sources, with what is filled in as `X`. */
const TEXTS = [
  ...new Set([
    ...Object.values(FAULTS).map(({ message }) => message),
    ...SOURCES.flatMap(sourcesIn).flatMap((source) =>
      [...source.matchAll(LITERAL)].map(([, single, template]) =>
        (single ?? template ?? '')
          .replaceAll(/\$\{(?!secret:)[^}]*\}/g, 'X')
          .replaceAll('\\`', '`')
          .replaceAll("\\'", "'"),
      ),
    ),
  ]),
];
const tokensOf = (text: string): string[] => [...text.matchAll(TOKEN)].map(([, token = '']) => token);
const NAMING = TEXTS.filter((text) => tokensOf(text).some((token) => IDS.has(token)) || text.includes('${secret:'));

it('the sources have such texts', () => {
  expect(NAMING).toEqual(
    expect.arrayContaining([
      'use `fs.read` for a file',
      'name the program itself; for commands as text there is `shell.run`',
      expect.stringContaining('ask for it with `value.get`'),
    ]),
  );
});

/** Tools that the dialect calls by another name than the canonical one. */
const RENAMED: Readonly<Record<DialectName, readonly string[]>> = {
  blocks: ['mk8.run', 'shell.dangerous'],
  'tools-xml': [...IDS],
  yips: [
    'fs.read',
    'fs.list',
    'fs.search',
    'fs.write',
    'fs.edit',
    'shell.run',
    'shell.session',
    'web.fetch',
    'web.search',
  ],
  openai: [...IDS],
  'openai-responses': [...IDS],
  anthropic: [...IDS],
  gemini: [...IDS],
};

describe.each(DIALECTS)('%s', (dialect) => {
  it('no message and no hint of a refusal names a tool as another dialect does', () => {
    for (const text of NAMING)
      for (const tool_id of TOOLS.keys()) {
        const said = errorInWords(dialect, { name: 'any', tool_id }, { code: 'x.y', message: text, hint: text });
        for (const part of [said?.message ?? '', said?.hint ?? '']) {
          expect(tokensOf(part).filter((token) => RENAMED[dialect].includes(token))).toEqual([]);
          if (dialect === 'tools-xml') expect(part).not.toContain('${secret:');
        }
      }
  });
});

const ERROR = {
  code: 'command.timeout',
  message: '`/path` must be string, `/timeout_ms` too, not `/etc`; see `fs.list`',
  hint: 'raise `timeout_ms`; use `fs.read` or `value.get`, and not `path.ts`',
};

it.each<[DialectName, string, string, string, string]>([
  ['blocks', 'shell.run', 'shell.run', ERROR.message, ERROR.hint],
  [
    'yips',
    'run_command',
    'shell.run',
    '`/path` must be string, `timeoutMs` too, not `/etc`; see `list_dir`',
    'raise `timeoutMs`; use `read_file` or `value.get`, and not `path.ts`',
  ],
  [
    'tools-xml',
    'read file',
    'fs.read',
    '`src` must be string, `/timeout_ms` too, not `/etc`; see `<read>`',
    'raise `timeout_ms`; use `<read>` or `<get_value>`, and not `path.ts`',
  ],
  [
    'openai',
    'bash',
    'shell.run',
    '`/path` must be string, `/timeout_ms` too, not `/etc`; see `list_directory`',
    'raise `timeout_ms`; use `read_file` or `get_value`, and not `path.ts`',
  ],
])('%s: arguments of %s are named as the model wrote them', (dialect, name, tool_id, message, hint) => {
  expect(errorInWords(dialect, { name, tool_id }, ERROR)).toEqual({ code: ERROR.code, message, hint });
});

it.each<[DialectName, string, string, string, string]>([
  ['yips', 'preview_edit_file', 'fs.edit', '/edits/0/find', 'oldText'],
  ['yips', 'grep', 'fs.search', '/max', 'maxMatches'],
  ['yips', 'virtual_terminal', 'shell.session', '/yield_ms', 'timeoutMs'],
  ['yips', 'subagent', 'agent.spawn', '/tools', 'allowed_tools'],
  ['yips', 'fetch', 'web.fetch', '/site', '/site'],
  ['blocks', 'create_sub_agent', 'agent.spawn', '/rounds_max', 'maxRounds'],
  ['blocks', 'access_website', 'web.fetch', '/site', 'targetId'],
  ['blocks', 'mk8.shell', 'mk8.run', '/sandbox', 'sandboxId'],
  ['blocks', 'access_skill', 'skill.read', '/skill', 'targetId'],
  ['blocks', 'dangerous_shell', 'shell.dangerous', '/profile', 'resourceId'],
  ['tools-xml', 'edit', 'fs.edit', '/edits/3/replace', '<replace>'],
  ['tools-xml', 'edit', 'fs.edit_files', '/files/0/path', 'src'],
  ['tools-xml', 'input', 'shell.session', '/input', '<input>'],
  ['tools-xml', 'call fs.write', 'fs.write', '/path', '/path'],
])('%s: in %s, a call of %s, `%s` is `%s`', (dialect, name, tool_id, pointer, word) => {
  const error = { code: 'args.invalid', message: `\`${pointer}\`: no`, hint: null };
  expect(errorInWords(dialect, { name, tool_id }, error)?.message).toBe(`\`${word}\`: no`);
});

it('what a caller wrote is not translated', () => {
  const error = { code: 'file.not_found', message: 'there is no file `input`', hint: null };
  expect(errorInWords('tools-xml', { name: 'command', tool_id: 'shell.session' }, error)).toEqual(error);
});

it('results name them so, in every dialect', () => {
  const outputs: Readonly<Record<DialectName, string>> = {
    blocks: '[TOOL_CALL:c1] {"action":"fs.list","args":{"path":"a"}}',
    'tools-xml': '<tools><read><file src="a/"/></read></tools>',
    yips: '```yips-agent\n{"actions":[{"type":"tool","id":"c1","name":"list_dir","arguments":{"path":"a"}}]}\n```',
    ...(Object.fromEntries(
      Object.entries(NATIVE).map(([name, { whole }]) => [
        name,
        whole({ text: '', calls: [{ id: 'c1', name: nativeNameOf('fs.list'), args: { path: 'a' } }] }),
      ]),
    ) as Record<keyof typeof NATIVE, string>),
  };
  const words = { blocks: 'fs.read', 'tools-xml': '<read>', yips: 'read_file' };
  for (const dialect of DIALECTS) {
    const output = parse(dialect, outputs[dialect]);
    const error = { code: 'file.kind', message: '`a` is a file', hint: 'use `fs.read` for a file' };
    const outcomes = new Map(output.calls.map(({ id }) => [id, { standing: 'failed', result: null, error } as const]));
    const said = JSON.stringify(render(dialect, output, outcomes));
    expect(said).toContain(`use \`${(words as Record<string, string>)[dialect] ?? 'read_file'}\` for a file`);
  }
});

it('tools-xml refers to a secret as it writes one', () => {
  const output = parse('tools-xml', '<tools><get_value key="A" reason="b"/></tools>');
  const result = { key: 'A', value: null, reference: '${secret:A}' };
  expect(
    JSON.stringify(render('tools-xml', output, new Map([['t1', { standing: 'completed', result, error: null }]]))),
  ).toContain('$KARYI{A}');
});
