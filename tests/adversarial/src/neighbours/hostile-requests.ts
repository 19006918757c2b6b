// SPDX-License-Identifier: Apache-2.0
// Expensive requests other than calls: bodies, archives, policies, skills, outputs of models, schedules.
import { attributes, tarOf } from './archives.ts';
import { fill, type HostileInput } from './hostile-input.ts';
import type { HostileTenant } from './hostile-tenant.ts';

/** Largest bodies: of a call, and of a request with files. Some bytes are left for the surrounding JSON. */
const [CALL_BODY, FILES_BODY] = [2 * 2 ** 20 - 1_024, 8 * 2 ** 20 - 1_024];
/** Largest output of a model within a body. */
const OUTPUT = 1_900_000;

const body = (name: string, path: (tenant: HostileTenant) => string, text: string): HostileInput => ({
  name: `body: ${name}`,
  send: (tenant) => tenant.post(path(tenant), text),
});
const files = ({ world }: HostileTenant): string => `/v1/workspaces/${world.workspaceId}/files`;
const calls = (): string => '/v1/tool-calls';

/** Members of an object, each with a distinct name that begins with the prefix. */
function keys(chars: number, begins = ''): string {
  const members: string[] = [];
  for (let [length, n] = [0, 0]; length < chars; n += 1) {
    const member = `"${begins}${n.toString(36)}":0,`;
    members.push(member);
    length += member.length;
  }
  return members.join('');
}

const BODIES = [
  body('numbers', files, `[${fill('0,', FILES_BODY)}0]`),
  body('empty lists', files, `[${fill('[],', FILES_BODY)}0]`),
  body('lists as deep as may be', files, `[${fill(`${'['.repeat(30)}${']'.repeat(30)},`, FILES_BODY)}0]`),
  body('lists deeper than may be', files, fill('[', FILES_BODY)),
  body('many keys', files, `{${keys(FILES_BODY - 2 ** 17)}"~":0}`),
  body('a key twice, at the end', files, `{${keys(FILES_BODY - 2 ** 17)}"0":0}`),
  body('a key twice, at the end of a call', calls, `{${keys(CALL_BODY - 2 ** 16)}"0":0}`),
  body('names with escapes', calls, `{${keys(CALL_BODY - 2 ** 16, '\\u0061')}"~":0}`),
  body('one string of escapes', files, `{"files":[{"path":"x","content":"${fill('\\u0041', FILES_BODY - 64)}"}]}`),
  body(
    'an unpaired surrogate, at the end',
    files,
    `{"files":[{"path":"x","content":"${fill('a', FILES_BODY - 64)}\\ud800"}]}`,
  ),
  body(
    'a name with an escape before one long string',
    files,
    `{"\\u0066iles":[{"path":"x","content":"${fill('\\n', FILES_BODY - 64)}"}]}`,
  ),
  body('white space', files, `${fill(' ', FILES_BODY - 64)}{}`),
  body(
    'base64 of eight megabytes',
    files,
    JSON.stringify({ files: [{ path: 'x', encoding: 'base64', content: fill('AAAA', FILES_BODY - 64) }] }),
  ),
  body(
    'five thousand files',
    files,
    JSON.stringify({
      files: Array.from({ length: 5_000 }, (_, n) => ({ path: `many/${n}`, content: fill('x', 1_400) })),
    }),
  ),
  body(
    'arguments of a megabyte of lists',
    calls,
    JSON.stringify({ tool_id: 'fs.read', args: { path: Array.from({ length: 300_000 }, () => 0) } }),
  ),
];

const archive = (name: string, bytes: Uint8Array): HostileInput => ({
  name: `archive: ${name}`,
  send: ({ world }) =>
    world.admin.request('POST', `/v1/workspaces/${world.workspaceId}/import?path=in`, bytes, {
      'content-type': 'application/x-tar',
    }),
});
const GLOBAL = 3 * 2 ** 20;

const ARCHIVES = [
  archive(
    'attributes for all entries, and many entries with their own',
    tarOf([
      { name: 'g', type: 'pax-global', content: attributes(GLOBAL) },
      ...Array.from({ length: 400 }, (_, n) => [
        { name: 'x', type: 'pax' as const, content: attributes(8) },
        { name: `f${n}` },
      ]).flat(),
    ]),
  ),
  archive('attributes of one entry', tarOf([{ name: 'x', type: 'pax', content: attributes(GLOBAL) }, { name: 'f' }])),
  archive(
    'attributes without an entry',
    tarOf(Array.from({ length: 300 }, () => ({ name: 'x', type: 'pax' as const, content: attributes(60_000) }))),
  ),
  archive(
    'twenty thousand files',
    tarOf(Array.from({ length: 20_000 }, (_, n) => ({ name: `many/${n}`, content: 'x' }))),
  ),
  archive('empty blocks', Buffer.alloc(64 * 2 ** 20)),
];

const DIFFS: readonly HostileInput[] = [
  {
    name: 'diff: texts with nothing in common',
    send: ({ world, texts }) => world.admin.get(`/v1/workspaces/${texts.workspaceId}/diff/text?from=${texts.from}`),
  },
  {
    name: 'diff: 20,000 files',
    send: ({ world, many }) =>
      world.admin.get(`/v1/workspaces/${many.workspaceId}/diff?from=${many.from}&to=${many.to}`),
  },
  {
    name: 'diff: 20,000 files as text',
    send: ({ world, many }) =>
      world.admin.get(`/v1/workspaces/${many.workspaceId}/diff/text?from=${many.from}&to=${many.to}`),
  },
  {
    name: 'export: 20,000 files',
    send: ({ world, many }) => world.admin.get(`/v1/workspaces/${many.workspaceId}/export?at=${many.to}`),
  },
];

const output = (dialect: string, name: string, text: string): HostileInput => ({
  name: `output of a model: ${dialect}, ${name}`,
  send: (tenant, round) => tenant.turn(dialect, text, round),
});
const chat = (args: string): string =>
  JSON.stringify({
    choices: [
      {
        message: { tool_calls: [{ id: 'c', function: { name: 'fs_read', arguments: args } }] },
        finish_reason: 'tool_calls',
      },
    ],
  });

const OUTPUTS = [
  output('tools-xml', 'elements', `<tools>${fill('<a/>', OUTPUT)}</tools>`),
  output(
    'tools-xml',
    'references',
    `<tools><edit><file src="a"><find>${fill('&#65;', OUTPUT)}</find><replace>b</replace></file></edit></tools>`,
  ),
  output('tools-xml', 'blocks that are none', fill('<tools><a></b></tools>\n', OUTPUT)),
  output('blocks', 'markers', fill('[TOOL_CALL:', OUTPUT)),
  output('blocks', 'braces', `[TOOL_CALL:a]${fill('{', OUTPUT)}`),
  output('yips', 'envelopes', fill('```yips-agent\n{}\n```\n', OUTPUT)),
  output('openai', 'arguments of many keys, one of them twice', chat(`{${keys(900_000)}"0":0}`)),
  output('openai', 'arguments of lists', chat(`{"path":[${fill('[],', 900_000)}0]}`)),
];

const cedar = (text: string): object => ({ document: { v: 1, name: 'hostile', cedar: text } });
const CEDAR = 250_000;
const rule = (condition: string): string =>
  `@id("all") @reason("x") permit (principal, action, resource) when { ${condition} };`;
const stored = (name: string, text: string): HostileInput => ({
  name: `policy: ${name}`,
  send: (tenant) => tenant.post('/v1/policies', cedar(text)),
});
/** A simulated call on a long path, for every rule that looks at paths. */
const simulated = (name: string, text: string): HostileInput => ({
  name: `policy of a simulation: ${name}`,
  send: (tenant) => {
    const { agentId, tokenId, workspaceId } = tenant.world;
    // The longest path, of the longest names.
    const args = { path: fill(`${fill('abcd', 200)}/`, 4_000) };
    const call = {
      agent_id: agentId,
      capability_token_id: tokenId,
      workspace_id: workspaceId,
      tool_id: 'fs.read',
      args,
    };
    return tenant.post('/v1/policies/simulate', { ...cedar(text), call });
  },
});
/** That many rules that forbid nothing. */
const forbids = (count: number, condition: (n: number) => string): string =>
  Array.from(
    { length: count },
    (_, n) => `@id("r${n}") @reason("x") forbid (principal, action, resource) ${condition(n)};`,
  ).join('\n');

const POLICIES = [
  stored('nested parentheses', rule(`${'('.repeat(100_000)}true${')'.repeat(100_000)}`)),
  stored('a long condition', rule(`${fill('true && ', CEDAR - 200)}true`)),
  stored('nested negations', rule(`${fill('!', CEDAR - 200)}true`)),
  stored('nested conditions', rule(`${fill('if true then ', 100_000)}true ${fill('else false ', 100_000)}`)),
  stored(
    'a thousand rules',
    forbids(999, (n) => `when { context.risk_milli > ${n + 1_000} }`),
  ),
  stored('a set of many members', rule(`[${fill('"a",', CEDAR - 300)}"b"].contains("c")`)),
  simulated(
    'patterns that look again and again, as long as may be',
    forbids(130, () => `when { resource is File && resource.path like "*${fill('abcd', 120)}!" }`),
  ),
  simulated(
    'patterns that look again and again, longer than may be',
    forbids(900, () => `when { resource is File && resource.path like "${'*a*c'.repeat(30)}!" }`),
  ),
];

const skill = (name: string, front: string): HostileInput => ({
  name: `skill: ${name}`,
  send: (tenant) => tenant.post('/v1/skills', { files: [{ path: 'SKILL.md', content: `---\n${front}\n---\ntext\n` }] }),
});
const YAML = 120_000;
const LAUGHS = [
  'a0: &a0 [x,x,x,x,x,x,x,x]',
  ...Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1} [${Array.from({ length: 8 }, () => `*a${n}`).join(',')}]`,
  ),
].join('\n');

const SKILLS = [
  skill('references that multiply', LAUGHS),
  skill('nested lists', `name: ${fill('[', YAML)}`),
  skill('nested members', Array.from({ length: 480 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')),
  skill('many keys', Array.from({ length: 12_000 }, (_, n) => `k${n}: x`).join('\n')),
  skill('a key again and again', fill('a: b\n', YAML)),
  skill('anchors', Array.from({ length: 9_000 }, (_, n) => `- &a${n} x`).join('\n')),
  skill('a text folded over many lines', `name: >\n${fill('  a\n\n', YAML)}`),
  skill('a quoted text without an end', `name: "${fill('\\', YAML)}`),
];

const job = (cron: string, time_zone = 'America/Sao_Paulo'): HostileInput => ({
  name: `schedule: ${cron.slice(0, 40)}`,
  send: (tenant) =>
    tenant.post('/v1/jobs', {
      name: 'j',
      cron,
      time_zone,
      workspace_id: tenant.world.workspaceId,
      capability_token_id: tenant.world.tokenId,
      model: 'recorded',
      input: 'x',
    }),
});

const SCHEDULES = [
  job('0 0 30 2 *'),
  job('0 0 29 2 1'),
  job(`${'*,'.repeat(50)}* * * * *`),
  job(`0 0 ${'29,'.repeat(30)}29 2 1`),
  job(`59 23 31 ${'2,4,6,9,11,'.repeat(8)}2 *`),
  job('*/1,*/1,*/1 */1 */1 2 7#5'),
  job('0 0 L 2 5#5'),
];

export const HOSTILE_REQUESTS: readonly HostileInput[] = [
  ...BODIES,
  ...ARCHIVES,
  ...DIFFS,
  ...OUTPUTS,
  ...POLICIES,
  ...SKILLS,
  ...SCHEDULES,
];
