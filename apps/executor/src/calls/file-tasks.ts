// SPDX-License-Identifier: Apache-2.0
import { doFileWork, type FileWorkDone, type FileWorkInput } from '@writ/workspace';

/** The work of the file tools, for worker threads. */
export const FILE_TASKS = {
  'fs.read': (input: FileWorkInput<'read'>): FileWorkDone<'read'> => doFileWork('read', input),
  'fs.edit': (input: FileWorkInput<'edit'>): FileWorkDone<'edit'> => doFileWork('edit', input),
  'fs.search': (input: FileWorkInput<'search'>): FileWorkDone<'search'> => doFileWork('search', input),
} as const;
