// SPDX-License-Identifier: Apache-2.0
export { foldTasks, type TaskChange } from './fold-tasks.ts';
export { readTasks } from './read-tasks.ts';
