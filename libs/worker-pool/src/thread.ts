// SPDX-License-Identifier: Apache-2.0
// What a worker program imports: nothing of the pool that starts it.
export { serveTasks } from './serve-tasks.ts';
export type { TaskTable } from './task-table.ts';
export type { WorkMessage, WorkReply } from './message.ts';
