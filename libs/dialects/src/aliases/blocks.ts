// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_DESCRIBE,
  AGENT_MANAGE,
  AGENT_SPAWN,
  CONTAINER_ACCESS,
  CONTAINER_CREATE,
  MK8_RUN as SCRIPT_TOOL,
  SHELL_DANGEROUS,
  SKILL_PATH_CHARS_MAX,
  SKILL_READ,
  SPAWN_TASK_CHARS_MAX,
  STORE_REGISTER,
  TASK_EDIT,
  TASK_STATUSES,
  ToolPattern,
  VECDB_QUERY,
  WEB_FETCH,
  WEB_SEARCH,
} from '@writ/contract';
import { Type, type TProperties } from 'typebox';
import type { Args } from '../dialect.ts';
import { quoted } from '../text/truncate.ts';
import { rangeOf, resolve, type Alias, type Resolved } from './alias.ts';
import { Id, optional, row } from './block-action.ts';
import { TRANSCRIPTIONS } from './block-transcriptions.ts';
import { canonicalCall, isToolId } from './canonical.ts';
import { SUB_AGENT_NEEDS, subAgentTask } from './sub-agent.ts';

/** The canonical ids of the two shells. */
export const MK8_RUN = SCRIPT_TOOL.tool_id;
export const DANGEROUS_SHELL = SHELL_DANGEROUS.tool_id;

export const MK8_SHELL: Alias = {
  ...row(
    'mk8.shell',
    MK8_RUN,
    'runs a script of mk8.shell in a named sandbox',
    { resourceId: optional(Id), sandboxId: optional(Id), script: Type.Record(Type.String(), Type.Unknown()) },
    {},
  ),
  shape: {
    // Both name the sandbox: one its resource, and one the sandbox itself. The kernel compares them.
    toCanonical: ({ resourceId, sandboxId, script }) => ({
      script,
      ...((sandboxId ?? resourceId) === undefined ? {} : { sandbox: sandboxId ?? resourceId }),
      ...(sandboxId === undefined || resourceId === undefined || resourceId === sandboxId
        ? {}
        : { resource: resourceId }),
    }),
    fromCanonical: ({ script, sandbox, resource }) => ({
      ...(resource === undefined ? {} : { resourceId: resource }),
      ...(sandbox === undefined ? {} : { sandboxId: sandbox }),
      script,
    }),
  },
};
const DANGEROUS = row(
  'dangerous_shell',
  DANGEROUS_SHELL,
  'runs a raw command under an execution profile',
  {
    resourceId: Id,
    shellType: Type.Enum(['Bash', 'PowerShell', 'CommandPrompt', 'Git']),
    command: Type.String({ minLength: 1, maxLength: 65_536 }),
  },
  { resourceId: 'profile', shellType: 'shell', command: 'command' },
);
const WEBSITE: Alias = {
  ...row(
    'access_website',
    WEB_FETCH.tool_id,
    'reads a web page as text',
    { targetId: Id, url: optional(Type.String({ minLength: 1, maxLength: 2_048 })) },
    {},
  ),
  shape: {
    // The target is a registered website, or a plain address.
    toCanonical: ({ targetId, url }) =>
      isAddress(targetId) ? { url: url ?? targetId } : { site: targetId, ...(url === undefined ? {} : { url }) },
    fromCanonical: ({ url, site, ...others }) => {
      if (Object.keys(others).length > 0) return null;
      return site === undefined ? { targetId: url } : { targetId: site, ...(url === undefined ? {} : { url }) };
    },
  },
};
const isAddress = (target: unknown): boolean => typeof target === 'string' && /^https?:/i.test(target);

/** The specification names the engine alone; a search needs a query. */
const SEARCH: Alias = {
  ...row(
    'query_search_engine',
    WEB_SEARCH.tool_id,
    'searches the web with a registered search engine',
    { targetId: optional(Id), query: Type.String({ minLength: 1, maxLength: 1_024 }) },
    { targetId: 'engine', query: 'query' },
  ),
  needed: { query: 'say what to search for' },
};

/**
 * The target is a registered store. Where it lies is a matter of its settings, so both actions are one search. The
 * specification gives them no query, and without one there is nothing to find.
 */
const storeSearch = (name: string, summary: string): Alias => ({
  ...row(
    name,
    VECDB_QUERY.tool_id,
    summary,
    {
      targetId: Id,
      query: Type.String({ minLength: 1, maxLength: 4_096 }),
      maxResults: optional(Type.Integer({ minimum: 1 })),
      mode: optional(Type.Enum(['text', 'vector', 'hybrid'] as const)),
      filters: optional(Type.Record(Type.String(), Type.Unknown())),
    },
    { targetId: 'store', query: 'text', maxResults: 'k', mode: 'mode', filters: 'filters' },
  ),
  needed: { query: 'say what to look for, in words' },
  clamps: { maxResults: rangeOf(VECDB_QUERY, 'k') },
});

/**
 * One action has the task as its target; the other has no target and names the task in a member. The canonical tool has
 * the remaining members.
 */
const taskEdit = (name: string, summary: string, task: TProperties): Alias =>
  row(
    name,
    TASK_EDIT.tool_id,
    summary,
    {
      ...task,
      title: optional(Type.String({ minLength: 1, maxLength: 200 })),
      note: optional(Type.String({ maxLength: 500 })),
      status: optional(Type.Enum(TASK_STATUSES)),
    },
    {
      ...Object.fromEntries(Object.keys(task).map((key) => [key, 'task_id'])),
      title: 'title',
      note: 'note',
      status: 'status',
    },
  );

/** Any task of the tenant, where the agent is granted them all. The specification gives it no members. */
const EDIT_ANY_TASK: Alias = {
  ...taskEdit('edit_any_task', 'changes a task of the tenant, of any session', { taskId: Id }),
  implied: { any: true },
  needed: { taskId: 'say which: `task.list` with `any` lists the tasks of the tenant' },
};

/** The specification gives it no members; a sub-agent needs a task. */
const SUB_AGENT: Alias = {
  ...row(
    'create_sub_agent',
    AGENT_SPAWN.tool_id,
    'gives a task to an agent below this one',
    {
      task: Type.String({ minLength: 1, maxLength: SPAWN_TASK_CHARS_MAX }),
      context: optional(Type.String({ maxLength: SPAWN_TASK_CHARS_MAX })),
      allowedTools: optional(Type.Array(ToolPattern, { minItems: 1, maxItems: 64 })),
      maxRounds: optional(Type.Integer({ minimum: 1 })),
    },
    {},
  ),
  needed: SUB_AGENT_NEEDS,
  clamps: { maxRounds: rangeOf(AGENT_SPAWN, 'rounds_max') },
  shape: {
    toCanonical: ({ task, context, allowedTools, maxRounds }) => ({
      task: subAgentTask(task as string, context as string | undefined),
      ...(allowedTools === undefined ? {} : { tools: allowedTools }),
      ...(maxRounds === undefined ? {} : { rounds_max: maxRounds }),
    }),
    fromCanonical: ({ task, tools, rounds_max, ...others }) =>
      Object.keys(others).length > 0
        ? null
        : {
            task,
            ...(tools === undefined ? {} : { allowedTools: tools }),
            ...(rounds_max === undefined ? {} : { maxRounds: rounds_max }),
          },
  },
};

/** The specification gives it a target alone, which tells the state of an agent; `change` changes it. */
const MANAGED_AGENT: Alias = {
  ...row(
    'manage_agent',
    AGENT_MANAGE.tool_id,
    'tells the state of another agent, or freezes it, lifts your freeze of it, or cancels its calls',
    {
      targetId: Id,
      change: optional(Type.String({ maxLength: 64 })),
      reason: optional(Type.String({ maxLength: 1_024 })),
      seconds: optional(Type.Number()),
    },
    { targetId: 'agent', change: 'change', reason: 'reason', seconds: 'seconds' },
  ),
  without: { argument: 'change', tool_id: AGENT_DESCRIBE.tool_id },
};

/** Every action of the specification, by the value of `action`. */
export const BLOCK_ALIASES: readonly Alias[] = [
  MK8_SHELL,
  DANGEROUS,
  ...TRANSCRIPTIONS,
  SUB_AGENT,
  row(
    'create_container',
    CONTAINER_CREATE.tool_id,
    'registers a container, which keeps a shell under its name',
    { name: optional(Id) },
    { name: 'name' },
  ),
  // The specification gives it no members: all of them have defaults.
  row(
    'register_info_store',
    STORE_REGISTER.tool_id,
    'registers a store of information',
    {
      name: optional(Id),
      label: optional(Type.Enum(['untrusted_content', 'private_data'] as const)),
      embedding: optional(Type.Enum(['local', 'none'] as const)),
      language: optional(Type.String({ minLength: 1, maxLength: 63 })),
    },
    { name: 'name', label: 'label', embedding: 'embedding', language: 'text_config' },
  ),
  EDIT_ANY_TASK,
  storeSearch('access_local_info_store', 'searches a local store of information'),
  storeSearch('access_external_info_store', 'searches an external store of information'),
  WEBSITE,
  SEARCH,
  row(
    'access_container',
    CONTAINER_ACCESS.tool_id,
    'tells what is known of a registered container',
    { targetId: Id },
    { targetId: 'container' },
  ),
  MANAGED_AGENT,
  taskEdit('edit_task', 'changes a task of the session', { targetId: Id }),
  // The target is the skill; `path` names a file of it other than its SKILL.md.
  row(
    'access_skill',
    SKILL_READ.tool_id,
    'reads a skill',
    {
      targetId: Type.String({ minLength: 1, maxLength: 64 }),
      path: optional(Type.String({ minLength: 1, maxLength: SKILL_PATH_CHARS_MAX })),
    },
    { targetId: 'skill', path: 'path' },
  ),
];
const BY_NAME = new Map(BLOCK_ALIASES.map((alias) => [alias.name, alias]));

/** How an action without `action` is recognised by its members; the first match counts. */
const BY_SHAPE: readonly { readonly member: string; readonly name: string }[] = [
  { member: 'shellType', name: 'dangerous_shell' },
  { member: 'transcriptionModelId', name: 'transcribe_from_audio_device' },
  { member: 'script', name: 'mk8.shell' },
];

/**
 * The meaning of a payload, and the name of its action: from `action`, else from its shape. Any other action is a
 * canonical tool, with its arguments in `args`.
 */
export function resolvePayload(members: Args): { readonly name: string | null; readonly means: Resolved } {
  const { action } = members;
  if (action !== undefined && typeof action !== 'string')
    return { name: null, means: { problem: '`action` must be a text: the name of an action' } };
  const name = action ?? BY_SHAPE.find(({ member }) => Object.hasOwn(members, member))?.name;
  if (name === undefined)
    return {
      name: null,
      means: { problem: 'the payload names no action: give `action`, or the members of a shell or transcription' },
    };
  const alias = BY_NAME.get(name);
  if (alias !== undefined) return { name, means: resolve(alias, members) };
  const { args = {}, action: _name, ...others } = members;
  const other = Object.keys(others)[0];
  if (other !== undefined && isToolId(name))
    return { name, means: { problem: `the action ${quoted(name)} has no member ${quoted(other)}: give \`args\`` } };
  return { name, means: canonicalCall(name, args) ?? { problem: `there is no action ${quoted(name)}` } };
}
