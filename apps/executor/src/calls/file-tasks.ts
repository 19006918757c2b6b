// SPDX-License-Identifier: Apache-2.0
import { runFileWorkInline, type FileWorkDone, type FileWorkInput } from '@writ/workspace';

/** The work of the file tools, for worker threads. */
export const FILE_TASKS = {
  'fs.read': (input: FileWorkInput<'read'>): FileWorkDone<'read'> => runFileWorkInline('read', input),
  'fs.edit': (input: FileWorkInput<'edit'>): FileWorkDone<'edit'> => runFileWorkInline('edit', input),
  'fs.search': (input: FileWorkInput<'search'>): FileWorkDone<'search'> => runFileWorkInline('search', input),
} as const;
