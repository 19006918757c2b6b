// SPDX-License-Identifier: Apache-2.0
// Each action of the document of mk8.shell, with its payload as the document writes it: a call, or a clear question.
import { parse } from '../dialects.ts';

const GUID = '6f0d7f2e-51c4-4f0a-9a55-0d6d3a9f9a10';
const read = (payload: object) => parse('blocks', `[TOOL_CALL:a] ${JSON.stringify(payload)}`);

const SCRIPT = { operations: [{ verb: 'Echo', args: ['hello'] }] };

/** What the document writes, and the canonical call: its tool and arguments. */
const CALLS: readonly (readonly [string, object, string, object])[] = [
  [
    'mk8.shell',
    { resourceId: GUID, sandboxId: 'demo', script: SCRIPT },
    'mk8.run',
    { script: SCRIPT, sandbox: 'demo', resource: GUID },
  ],
  [
    'mk8.shell with one name for both',
    { resourceId: 'demo', sandboxId: 'demo', script: SCRIPT },
    'mk8.run',
    { script: SCRIPT, sandbox: 'demo' },
  ],
  ...(['Bash', 'PowerShell', 'CommandPrompt', 'Git'] as const).map(
    (shellType) =>
      [
        `dangerous shell ${shellType}`,
        { resourceId: GUID, shellType, command: 'date' },
        'shell.dangerous',
        { profile: GUID, shell: shellType, command: 'date' },
      ] as const,
  ),
  ['create_container', { action: 'create_container' }, 'container.create', {}],
  ['access_container', { action: 'access_container', targetId: GUID }, 'container.access', { container: GUID }],
  ['access_website', { action: 'access_website', targetId: GUID }, 'web.fetch', { site: GUID }],
  ['manage_agent', { action: 'manage_agent', targetId: GUID }, 'agent.describe', { agent: GUID }],
  ['edit_task', { action: 'edit_task', targetId: GUID }, 'task.edit', { task_id: GUID }],
  ['access_skill', { action: 'access_skill', targetId: GUID }, 'skill.read', { skill: GUID }],
];

it.each(CALLS)('the payload of %s is a call as the document writes it', (_name, payload, tool_id, args) => {
  const { calls, problems } = read(payload);
  expect(problems).toEqual([]);
  expect(calls).toMatchObject([{ tool_id, args }]);
  expect(calls[0]?.args).toEqual(args);
});

/** The document gives these actions no members; what one needs is asked for, and nothing runs. */
const QUESTIONS: readonly (readonly [string, object, RegExp])[] = [
  ['create_sub_agent', { action: 'create_sub_agent' }, /^`create_sub_agent` needs `task`: say what/],
  ['edit_any_task', { action: 'edit_any_task' }, /^`edit_any_task` needs `taskId`: say which: `task.list` with `any`/],
  [
    'query_search_engine',
    { action: 'query_search_engine', targetId: GUID },
    /^`query_search_engine` needs `query`: say/,
  ],
  ['an empty payload', {}, /^the payload names no action: give `action`/],
];

it.each(QUESTIONS)('the empty form of %s is answered with a question', (_name, payload, question) => {
  const { calls, problems } = read(payload);
  expect(calls).toEqual([]);
  expect(problems).toMatchObject([{ level: 'call', call_id: 'a', message: expect.stringMatching(question) as string }]);
});

it.each([
  ['freeze', { reason: 'runs wild', seconds: 60 }],
  ['lift', {}],
  ['cancel', {}],
])('manage_agent with `change` %s changes the agent in its target', (change, more) => {
  expect(read({ action: 'manage_agent', targetId: GUID, change, ...more }).calls).toMatchObject([
    { tool_id: 'agent.manage', args: { agent: GUID, change, ...more } },
  ]);
});
