// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, isNotAvailable, TOOLS } from '@writ/contract';
import { resolve, unresolve, type Alias } from './alias.ts';
import { BLOCK_ALIASES } from './blocks.ts';
import { NATIVE_NAMES } from './native.ts';
import { YIPS_SKILLS, YIPS_SUBAGENT, YIPS_TOOLS } from './yips.ts';

const SAMPLES: Readonly<Record<string, unknown>> = {
  path: 'a',
  content: 'b',
  oldText: 'c',
  newText: 'd',
  replaceAll: true,
  pattern: 'e',
  maxMatches: 3,
  command: 'f',
  cwd: 'g',
  timeoutMs: 5000,
  query: 'h',
  maxResults: 2,
  url: 'https://example.com/',
  maxChars: 500,
  maxBytes: 9,
  task: 'i',
  max_rounds: 2,
  maxRounds: 3,
  token: 'j',
  targetId: 'https://example.com/k',
  transcriptionModelId: 'l',
  language: 'en',
  resourceId: 'm',
  sandboxId: 'n',
  script: { operations: [] },
  shellType: 'Bash',
  taskId: `op_${'0'.repeat(26)}`,
  title: 'o',
  note: 'p',
  status: 'done',
};
const NOT_BACK: Readonly<Record<string, readonly string[]>> = {
  read_file: ['maxBytes'],
  virtual_terminal: ['cwd'],
  'mk8.shell': ['resourceId'],
  access_website: ['url'],
  query_search_engine: ['query'],
};
/** The target of a task is a task, and that of a skill a skill. */
const sampleFor = (name: string, key: string): unknown =>
  name === 'access_skill' && key === 'targetId'
    ? 'release'
    : SAMPLES[name === 'edit_task' && key === 'targetId' ? 'taskId' : key];
const all: readonly Alias[] = [...BLOCK_ALIASES, ...YIPS_TOOLS, ...YIPS_SKILLS, YIPS_SUBAGENT];
const sampleOf = ({ name, parameters }: Alias): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(parameters.properties)
      .filter((key) => key !== 'action' && NOT_BACK[name]?.includes(key) !== true)
      .map((key) => [key, sampleFor(name, key)]),
  );

test.each(all.map((alias) => [alias.name, alias] as const))(
  '%s: its arguments become canonical ones and come back',
  (_name, alias) => {
    const written = sampleOf(alias);
    const means = resolve(alias, written);
    if ('problem' in means) throw new Error(means.problem);
    expect(unresolve(alias, means.args)).toEqual(written);
    const tool = TOOLS.get(means.tool_id);
    if (tool !== undefined && alias.mode !== 'apply') expect(argumentFaults(tool, means.args)).toEqual([]);
  },
);

test("what has no words in a dialect doesn't come back", () => {
  const [grep, edit] = ['grep', 'edit_file'].map((name) => YIPS_TOOLS.find((alias) => alias.name === name)) as [
    Alias,
    Alias,
  ];
  expect([
    unresolve(grep, { pattern: 'a' }),
    unresolve(grep, { pattern: 'a', regex: true, other: 1 }),
    unresolve(edit, { path: 'a', edits: [{ find: 'a', replace: 'b', count: 3 }] }),
  ]).toEqual([null, null, null]);
});

test('an alias is of a tool that there is, or of one that is known not to be there yet', () => {
  for (const { tool_id } of all) expect(TOOLS.has(tool_id) || isNotAvailable(tool_id)).toBe(true);
  for (const tool_id of Object.values(NATIVE_NAMES)) expect(TOOLS.has(tool_id) || isNotAvailable(tool_id)).toBe(true);
});

test("a search names what is searched for; the engine is the tenant's one, and it gives as many results as there can be", () => {
  const [blocks, yips] = [
    BLOCK_ALIASES.find(({ name }) => name === 'query_search_engine'),
    YIPS_SKILLS.find(({ name }) => name === 'search'),
  ] as [Alias, Alias];
  expect(resolve(blocks, { targetId: 'engine-1', query: 'x' })).toMatchObject({
    tool_id: 'web.search',
    args: { query: 'x' },
  });
  expect(resolve(blocks, { targetId: 'x' })).toMatchObject({ args: { query: 'x' } });
  expect(resolve(yips, { query: 'x', maxResults: 1_000 })).toMatchObject({
    tool_id: 'web.search',
    args: { query: 'x', max_results: 50 },
  });
});

test('`write_file` stages in Yips and writes in the loop', () => {
  expect(YIPS_TOOLS.find(({ name }) => name === 'write_file')).toMatchObject({ tool_id: 'fs.write', mode: 'stage' });
  expect(NATIVE_NAMES['write_file']).toBe('fs.write');
});
