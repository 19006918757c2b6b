// SPDX-License-Identifier: Apache-2.0
export { foldTasks, type TaskChange } from './fold-tasks.ts';
export { readSessionTasks } from './read-session-tasks.ts';
