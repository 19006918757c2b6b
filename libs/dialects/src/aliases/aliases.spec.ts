// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, TOOLS } from '@writ/contract';
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
  name: 'q',
  url: 'https://example.com/',
  maxChars: 500,
  maxBytes: 9,
  task: 'i',
  max_rounds: 2,
  maxRounds: 3,
  allowed_tools: ['fs.read'],
  allowedTools: ['fs.read'],
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
  change: 'freeze',
  reason: 'r',
  seconds: 60,
};
const NOT_BACK: Readonly<Record<string, readonly string[]>> = {
  // One of both.
  transcribe_from_audio_stream: ['sinceSeq'],
  read_file: ['maxBytes'],
  virtual_terminal: ['cwd'],
  access_website: ['url'],
  subagent: ['context'],
  create_sub_agent: ['context'],
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

test('a call that a dialect cannot express is not converted back', () => {
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

test('an alias belongs to an existing tool', () => {
  for (const { tool_id } of all) expect(TOOLS.has(tool_id)).toBe(true);
  for (const tool_id of Object.values(NATIVE_NAMES)) expect(TOOLS.has(tool_id)).toBe(true);
});

test('a search has a query; the engine is named by its id or name, and the number of results is capped', () => {
  const [blocks, yips] = [
    BLOCK_ALIASES.find(({ name }) => name === 'query_search_engine'),
    YIPS_SKILLS.find(({ name }) => name === 'search'),
  ] as [Alias, Alias];
  expect(resolve(blocks, { targetId: 'engine-1', query: 'x' })).toMatchObject({
    tool_id: 'web.search',
    args: { engine: 'engine-1', query: 'x' },
  });
  expect(resolve(blocks, { query: 'x' })).toMatchObject({ args: { query: 'x' } });
  expect(resolve(yips, { query: 'x', maxResults: 1_000 })).toMatchObject({
    tool_id: 'web.search',
    args: { query: 'x', max_results: 50 },
  });
});

test.each<[string, string, object, object, number]>([
  ['run_command', 'timeoutMs', { command: 'a' }, { command: 'a', timeout_ms: 43_200_000 }, 43_200_001],
  ['run_command', 'timeoutMs', { command: 'a' }, { command: 'a', timeout_ms: 100 }, 1],
  ['build', 'timeoutMs', { command: 'a' }, { command: 'a', timeout_ms: 43_200_000 }, 86_400_000],
  ['virtual_terminal', 'timeoutMs', { command: 'a' }, { command: 'a', yield_ms: 60_000 }, 120_000],
  ['grep', 'maxMatches', { pattern: 'a' }, { pattern: 'a', regex: true, max: 500 }, 501],
  ['fetch', 'maxChars', { url: 'https://a.example/' }, { url: 'https://a.example/', max_chars: 100_000 }, 1_000_000],
  ['search', 'maxResults', { query: 'a' }, { query: 'a', max_results: 50 }, 51],
  ['subagent', 'max_rounds', { task: 'a' }, { task: 'a', rounds_max: 50 }, 51],
  ['create_sub_agent', 'maxRounds', { task: 'a' }, { task: 'a', rounds_max: 50 }, 51],
])('%s: `%s` beyond its range becomes its nearest end, and the answer says so', (name, key, others, args, value) => {
  const alias = all.find((each) => each.name === name) as Alias;
  const means = resolve(alias, { ...others, [key]: value });
  if ('problem' in means) throw new Error(means.problem);
  expect(means.args).toEqual(args);
  expect(means.show?.warnings).toEqual([expect.stringMatching(new RegExp(`^\`${key}\` is .* instead of ${value}$`))]);
  const tool = TOOLS.get(means.tool_id);
  if (tool !== undefined) expect(argumentFaults(tool, means.args)).toEqual([]);
});

test('numbers within their ranges stay, without a warning', () => {
  const [run] = all.filter(({ name }) => name === 'run_command') as [Alias];
  expect(resolve(run, { command: 'a', timeoutMs: 120_000 })).toMatchObject({ args: { timeout_ms: 120_000 }, show: {} });
});

test('`write_file` stages in Yips and writes in the loop', () => {
  expect(YIPS_TOOLS.find(({ name }) => name === 'write_file')).toMatchObject({ tool_id: 'fs.write', mode: 'stage' });
  expect(NATIVE_NAMES['write_file']).toBe('fs.write');
});
