// SPDX-License-Identifier: Apache-2.0
//
// What an agent has to do, kept for its session. A task is named by the operation that made it: so its name is made
// once, and leads to its receipt.
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;

/** Tasks of a session: as many as travel with a call, at their longest. */
export const TASKS_MAX = 200;
/** Calls that made or changed them: each is read for the next one. */
export const TASK_CHANGES_MAX = 2_000;
export const TASK_STATUSES = ['open', 'active', 'done', 'dropped'] as const;

const TaskId = { ...idSchema('operation'), description: 'the operation that made the task' };
const Title = Type.String({ minLength: 1, maxLength: 200, description: 'what is to be done, in a line' });
const Note = Type.String({ maxLength: 500, description: 'what to remember about it' });
const Status = Type.Enum(TASK_STATUSES);

export const Task = Type.Object({ task_id: TaskId, title: Title, note: Note, status: Status }, closed);
export type Task = Static<typeof Task>;

/** The tasks of a session as a call finds them, and how many calls made them so. */
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

export const TASK_CREATE: ToolDefinition = {
  ...inline,
  tool_id: 'task.create',
  description: `Notes a task of the session, open unless said; a session has ${TASKS_MAX} at most. Answers with the task and its id.`,
  category: 'write',
  mutating: true,
  parameters: Type.Object({ title: Title, note: Type.Optional(Note), status: Type.Optional(Status) }, closed),
  result: One,
};

export const TASK_EDIT: ToolDefinition = {
  ...inline,
  tool_id: 'task.edit',
  description:
    "Changes a task of the session: its status, title or note; what isn't named stays. Answers with the task as it is then.",
  category: 'write',
  mutating: true,
  parameters: Type.Object(
    { task_id: TaskId, title: Type.Optional(Title), note: Type.Optional(Note), status: Type.Optional(Status) },
    { ...closed, minProperties: 2 },
  ),
  result: One,
};

export const TASK_LIST: ToolDefinition = {
  ...inline,
  tool_id: 'task.list',
  description: 'Lists the tasks of the session in the order in which they were noted.',
  category: 'read',
  mutating: false,
  parameters: Type.Object({ status: Type.Optional(Status) }, closed),
  result: Type.Object({ tasks: Type.Array(Task) }, closed),
};

const IDS: ReadonlySet<string> = new Set([TASK_CREATE, TASK_EDIT, TASK_LIST].map(({ tool_id }) => tool_id));

/** Answers whether a tool works on the tasks of its session. */
export const isTaskTool = (toolId: string): boolean => IDS.has(toolId);
