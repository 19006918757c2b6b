// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_SPAWN,
  MK8_RUN as SCRIPT_TOOL,
  NOT_AVAILABLE,
  SHELL_DANGEROUS,
  SKILL_PATH_CHARS_MAX,
  SKILL_READ,
  SPAWN_ROUNDS_MAX,
  TASK_EDIT,
  TASK_STATUSES,
  WEB_FETCH,
} from '@writ/contract';
import { Type, type TProperties, type TSchema } from 'typebox';
import type { Args } from '../dialect.ts';
import { quoted } from '../text/shown.ts';
import { resolve, type Alias, type Resolved } from './alias.ts';

const closed = { additionalProperties: false } as const;
const Id = Type.String({ minLength: 1, maxLength: 256 });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** A payload's own members beside those that the action takes. */
const payload = (members: TProperties) => Type.Object({ action: optional(Type.String()), ...members }, closed);
const row = (
  name: string,
  tool_id: string,
  summary: string,
  members: TProperties,
  renames: Alias['renames'],
): Alias => ({ name, tool_id, summary, parameters: payload(members), renames });
const perResource = (name: string, tool_id: string, summary: string): Alias =>
  row(name, tool_id, summary, { targetId: Id }, { targetId: 'target_id' });
const global = (name: string, tool_id: string, summary: string): Alias => row(name, tool_id, summary, {}, {});

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
    // Both name the sandbox: old scripts carry its id beside its name.
    toCanonical: ({ resourceId, sandboxId, script }) => ({
      script,
      ...((sandboxId ?? resourceId) === undefined ? {} : { sandbox: sandboxId ?? resourceId }),
    }),
    fromCanonical: ({ script, sandbox }) => ({ ...(sandbox === undefined ? {} : { sandboxId: sandbox }), script }),
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
const transcription = (name: string): Alias =>
  row(
    name,
    NOT_AVAILABLE.transcribe,
    'writes down what is said',
    { targetId: Id, transcriptionModelId: Id, language: optional(Type.String({ maxLength: 64 })) },
    { targetId: 'target_id', transcriptionModelId: 'model_id', language: 'language' },
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
    toCanonical: ({ targetId, url }) => ({ url: url ?? targetId }),
    fromCanonical: ({ url, ...others }) => (Object.keys(others).length === 0 ? { targetId: url } : null),
  },
};

/** A tenant has one engine: the target names it, or is what is searched for where nothing else is. */
const SEARCH: Alias = {
  ...row(
    'query_search_engine',
    NOT_AVAILABLE.searchWeb,
    'searches the web',
    {
      targetId: Type.String({ minLength: 1, maxLength: 1_024 }),
      query: optional(Type.String({ minLength: 1, maxLength: 1_024 })),
    },
    {},
  ),
  shape: {
    toCanonical: ({ targetId, query }) => ({ query: query ?? targetId }),
    fromCanonical: ({ query, ...others }) => (Object.keys(others).length === 0 ? { targetId: query } : null),
  },
};

/**
 * The one has the task as its target; the other, which has none, names it beside what it says. What both may say of it
 * is the canonical tool's.
 */
const editing = (name: string, task: TProperties): Alias =>
  row(
    name,
    TASK_EDIT.tool_id,
    'changes a task of the session',
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

/** Every action that the document names, by the name that `action` gives. */
export const BLOCK_ALIASES: readonly Alias[] = [
  MK8_SHELL,
  DANGEROUS,
  transcription('transcribe_from_audio_device'),
  transcription('transcribe_from_audio_stream'),
  transcription('transcribe_from_audio_file'),
  row(
    'create_sub_agent',
    AGENT_SPAWN.tool_id,
    'gives a task to an agent below this one',
    {
      task: optional(Type.String({ minLength: 1, maxLength: 12_000 })),
      maxRounds: optional(Type.Integer({ minimum: 1, maximum: SPAWN_ROUNDS_MAX })),
    },
    { task: 'task', maxRounds: 'rounds_max' },
  ),
  global('create_container', NOT_AVAILABLE.createContainer, 'makes a container'),
  global('register_info_store', NOT_AVAILABLE.registerStore, 'registers a store of information'),
  editing('edit_any_task', { taskId: optional(Id) }),
  perResource('access_local_info_store', NOT_AVAILABLE.localStore, 'reads a local store of information'),
  perResource('access_external_info_store', NOT_AVAILABLE.externalStore, 'reads an external store of information'),
  WEBSITE,
  SEARCH,
  perResource('access_container', NOT_AVAILABLE.accessContainer, 'uses a container'),
  perResource('manage_agent', NOT_AVAILABLE.manageAgent, 'manages an agent'),
  editing('edit_task', { targetId: Id }),
  // The target is the skill; a file of it other than its SKILL.md is named beside it.
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

/** How actions are told by their members where no `action` says it; the first that fits. */
const BY_SHAPE: readonly { readonly member: string; readonly name: string }[] = [
  { member: 'shellType', name: 'dangerous_shell' },
  { member: 'transcriptionModelId', name: 'transcribe_from_audio_device' },
  { member: 'script', name: 'mk8.shell' },
];
const Canonical = Type.Object(
  { action: Type.String(), args: optional(Type.Record(Type.String(), Type.Unknown())) },
  closed,
);
const TOOL_ID = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/;

/**
 * What a payload means, and the name of its action: told by `action`, else by its shape. Any other action is a
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
  if (name.length > 128 || !TOOL_ID.test(name))
    return { name, means: { problem: `there is no action ${quoted(name)}` } };
  const means = resolve(
    {
      name,
      tool_id: name,
      summary: '',
      parameters: Canonical,
      renames: {},
      shape: { toCanonical: ({ args }) => (args ?? {}) as Args, fromCanonical: (args) => args },
    },
    members,
  );
  return { name, means };
}
