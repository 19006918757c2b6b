// SPDX-License-Identifier: Apache-2.0
//
// Tasks of worker threads: work whose duration depends on callers' input. INVARIANT (nothing kept): a task is a
// function of its input alone, so a thread holds no data of one tenant when it begins another's task.
import type { JsonValue } from '@writ/digest';
import { bodyReader, readJson, type JsonText } from '../requests/read-body.ts';
import type { RouteRow } from '../requests/route.ts';
import { taskOf } from './worker-tasks.ts';

/**
 * The tasks of this module for worker threads, by name.
 *
 * @param routes the routes whose schemas the bodies must match
 */
export const edgeTasks = (routes: readonly RouteRow[]) => ({
  'body.read': bodyReader(routes),
  'json.read': (text: JsonText): JsonValue => readJson(text),
});
type EdgeTasks = ReturnType<typeof edgeTasks>;

export const READ_BODY = taskOf<EdgeTasks, 'body.read'>('body.read', 5_000);
export const READ_JSON = taskOf<EdgeTasks, 'json.read'>('json.read', 5_000);
