// SPDX-License-Identifier: Apache-2.0
import type { CliParameter, CliToolSource } from '@writ/contract';
import { readToolFile } from './read-tools.ts';
import { KUBECTL_APPLY, KUBECTL_GET } from './sample.contract.ts';

const problems = (...tools: unknown[]): string[] =>
  readToolFile({ tools }).problems.map(({ pointer, message }) => `${pointer} ${message}`);
const tool = (more: Partial<CliToolSource> & Record<string, unknown>) => ({
  name: 'x',
  description: 'X.',
  category: 'write',
  cmd: 'x',
  ...more,
});
const parameter = (more: Partial<CliParameter> & Record<string, unknown>) =>
  tool({ args: ['{{p}}'], parameters: { p: { type: 'string', ...more } as CliParameter } });

test('the tools of the specification are accepted unchanged', () => {
  const { tools, problems: none } = readToolFile({ tools: [KUBECTL_GET, KUBECTL_APPLY] });
  expect(none).toEqual([]);
  expect(tools.map(({ tool_id, limits }) => [tool_id, limits['wall_ms'], limits['output_bytes']])).toEqual([
    ['kubectl_get', 120_000, 200_000],
    ['kubectl_apply', 120_000, 200_000],
  ]);
});

test.each([
  ['what is no file of tools', 7, ''],
  ['a word that is none', { tools: [tool({ shell: true })] }, '/tools/0/shell'],
  ['a program with a path that is neither absolute nor a name', { tools: [tool({ cmd: './run' })] }, '/tools/0/cmd'],
  ['a program with a value in its name', { tools: [tool({ cmd: '{{p}}' })] }, '/tools/0/cmd'],
  ['a time of more than twelve hours', { tools: [tool({ timeout_ms: 43_200_001 })] }, '/tools/0/timeout_ms'],
  ['a variable in lower case', { tools: [tool({ env: { path: 'x' } })] }, '/tools/0/env/path'],
  [
    'a parameter by the name of what objects inherit',
    { tools: [tool({ args: ['{{p}}'], parameters: JSON.parse('{"__proto__": {"type": "string"}}') as never })] },
    '/tools/0/parameters/__proto__',
  ],
])('%s is refused with its place', (_what, file, pointer) => {
  expect(readToolFile(file).problems.map((problem) => problem.pointer)).toContain(pointer);
});

test('all problems are reported at once', () => {
  expect(
    problems(
      tool({
        args: ['{{a}}', '{{b', '{{c}}'],
        parameters: { c: { type: 'string', optional: true }, d: { type: 'boolean' } },
        optional_args: { e: ['-e'] },
      }),
      tool({ env: { A: '${x}', B: '${' } }),
    ),
  ).toEqual([
    '/tools/0/args/0 `{{a}}` names no parameter',
    '/tools/0/args/1 its braces make no placeholder',
    '/tools/0/args/2 `c` is optional, so it may be missing here',
    '/tools/0/optional_args/e `e` is no optional parameter',
    '/tools/0/parameters/d no argument uses `d`',
    '/tools/1/name the name `x` is given twice',
    '/tools/1/env/A a `${` in it is no reference',
    '/tools/1/env/B a `${` in it is no reference',
  ]);
});

test.each(['fs.read', 'fs.anything', 'api.shop.list', 'mcp.x', 'shell', 'secret.x', 'bash', 'read_file', 'unknown'])(
  "no tool takes the name `%s`: it is, or may become, one of Writ's own",
  (name) => {
    expect(problems(tool({ name }))).toEqual([expect.stringMatching(/^\/tools\/0\/name /)]);
  },
);

test('a variable stays within the system’s limit, whatever it refers to', () => {
  const file = (env: string) => ({ tools: [tool({ env: { A: env } })], variables: { V: 'v'.repeat(1_000) } });
  expect(readToolFile(file('${V}'.repeat(4))).problems).toEqual([]);
  expect(readToolFile(file('${V}'.repeat(5))).problems).toHaveLength(1);
  expect(readToolFile(file('${S}'.repeat(9))).problems).toHaveLength(1);
});

test('names may form families', () => {
  expect(problems(tool({ name: 'kube.get_all' }))).toEqual([]);
});

test.each([
  ['a pattern of a number', { type: 'integer', pattern: 'x' }],
  ['a range of text', { minimum: 1 }],
  ['a choice of another type', { enum: [1] }],
  ['a choice that begins with `-`', { enum: ['-v'] }],
  ['a range that is empty', { minLength: 2, maxLength: 1 }],
  ['look-around', { pattern: '(?=x)' }],
  ['a back-reference', { pattern: '(x)\\1' }],
  ['an expression that grows too large', { pattern: '(([a-z]{0,50}){0,50}){0,2}' }],
  ['an expression that is none', { pattern: '(' }],
])('%s is refused', (_what, more) => {
  expect(problems(parameter(more as Partial<CliParameter>)).length).toBeGreaterThan(0);
});

test.each([
  ['bash', ['-c', '{{p}}']],
  ['/bin/sh', ['-ec', 'echo {{p}}']],
  ['bash', ['-c', 'fixed', '{{p}}']],
  ['bash', ['{{p}}']],
  ['zsh', ['-{{p}}', 'a.sh']],
  ['sh', ['-s', '{{p}}']],
  ['env', ['bash', '{{p}}']],
  ['busybox', ['sh', '{{p}}']],
  ['xargs', ['{{p}}']],
  ['sudo', ['ls', '{{p}}']],
  ['bash', ['', '{{p}}']],
])('a value never becomes part of what a shell reads: %s %j is refused', (cmd, args) => {
  expect(problems(tool({ cmd, args, parameters: { p: { type: 'string' } } }))).toEqual([
    expect.stringMatching(/^\/tools\/0\/cmd .* would read arguments as commands$/),
  ]);
});

test('a shell may run a named script on values', () => {
  expect(
    problems(tool({ cmd: 'bash', args: ['-e', 'scripts/deploy.sh', '{{p}}'], parameters: { p: { type: 'string' } } })),
  ).toEqual([]);
});
