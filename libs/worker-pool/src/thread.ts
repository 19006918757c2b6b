// SPDX-License-Identifier: Apache-2.0
// The exports for worker programs. They include nothing of the pool, which starts these programs.
export { serveTasks } from './serve-tasks.ts';
export type { TaskTable } from './task-table.ts';
export type { TaskMessage, TaskReply } from './message.ts';
