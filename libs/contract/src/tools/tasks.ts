// SPDX-License-Identifier: Apache-2.0
//
// An agent's tasks. A task belongs to the session in which it was made, and agents that are granted it may change it
// from elsewhere. It has the id of the operation that made it, so it is unique and leads to its receipt.
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { everyResource, UNNAMED_RESOURCE } from '../resources/resource-kinds.ts';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;

/** Limit on the tasks of a session: at their longest, as many as fit into the message of a call. */
export const TASKS_MAX = 200;
/** Limit on the calls that made or changed tasks: each is read for the next one. */
export const TASK_CHANGES_MAX = 2_000;
export const TASK_STATUSES = ['open', 'active', 'done', 'dropped'] as const;

const TaskId = { ...idSchema('operation'), description: 'the operation that made the task' };
const Title = Type.String({ minLength: 1, maxLength: 200, description: 'what is to be done, in a line' });
const Note = Type.String({ maxLength: 500, description: 'what to remember about it' });
const Status = Type.Enum(TASK_STATUSES);

export const Task = Type.Object({ task_id: TaskId, title: Title, note: Note, status: Status }, closed);
export type Task = Static<typeof Task>;

/** The tasks of a session at the time of a call, and the number of calls that changed them. */
export const SessionTasks = Type.Object({ items: Type.Array(Task), changes: Type.Integer({ minimum: 0 }) }, closed);
export type SessionTasks = Static<typeof SessionTasks>;

const inline = {
  version: 1,
  class: 'inline',
  accepts_secrets: [],
  labels: [],
  limits: INLINE_LIMITS,
  resources: () => [],
} as const;
const One = Type.Object({ task: Task }, closed);
const Any = Type.Optional(
  Type.Literal(true, {
    description: "tasks of other sessions and agents too, where you are granted the tenant's tasks",
  }),
);
/** With `any`, a call reaches every task of the tenant. */
const targets: ToolDefinition['targets'] = ({ any }) => (any === true ? [everyResource('task', '/any')] : []);

export const TASK_CREATE: ToolDefinition = {
  ...inline,
  tool_id: 'task.create',
  description: `Notes a task of the session, open by default; a session has ${TASKS_MAX} at most. Answers with the task and its id.`,
  category: 'write',
  mutating: true,
  changes_records: true,
  parameters: Type.Object({ title: Title, note: Type.Optional(Note), status: Type.Optional(Status) }, closed),
  result: One,
  targets: () => [{ kind: 'task', ref: UNNAMED_RESOURCE, right: 'create', pointer: '' }],
};

export const TASK_EDIT: ToolDefinition = {
  ...inline,
  tool_id: 'task.edit',
  description:
    "Changes a task: its status, title or note; what isn't named stays. Answers with the task as it is then.",
  category: 'write',
  mutating: true,
  changes_records: true,
  parameters: Type.Object(
    {
      task_id: TaskId,
      title: Type.Optional(Title),
      note: Type.Optional(Note),
      status: Type.Optional(Status),
      any: Any,
    },
    closed,
  ),
  result: One,
  targets,
  faults: ({ title, note, status }) =>
    title === undefined && note === undefined && status === undefined
      ? [{ pointer: '', message: 'changes nothing: name a new `title`, `note` or `status`' }]
      : [],
};

export const TASK_LIST: ToolDefinition = {
  ...inline,
  tool_id: 'task.list',
  description:
    'Lists the tasks of the session in the order in which they were noted; with `any` the newest of the tenant.',
  category: 'read',
  mutating: false,
  parameters: Type.Object({ status: Type.Optional(Status), any: Any }, closed),
  result: Type.Object({ tasks: Type.Array(Task) }, closed),
  targets,
};

const IDS: ReadonlySet<string> = new Set([TASK_CREATE, TASK_EDIT, TASK_LIST].map(({ tool_id }) => tool_id));

/** Answers whether a tool works on the tasks of its session. */
export const isTaskTool = (toolId: string): boolean => IDS.has(toolId);
