// SPDX-License-Identifier: Apache-2.0
//
// What runs in worker threads: work of which a caller decides how long it takes. INVARIANT (nothing kept): a task is a
// function of its input alone, so a thread holds nothing of one tenant when it begins with another's.
import type { JsonValue } from '@writ/digest';
import { bodyReader, readJson, type JsonText } from '../requests/read-body.ts';
import type { RouteRow } from '../requests/route.ts';
import { taskOf } from './worker-tasks.ts';

/**
 * What this module has worker threads do, by name.
 *
 * @param routes whose schemas the bodies have to fit
 */
export const edgeTasks = (routes: readonly RouteRow[]) => ({
  'body.read': bodyReader(routes),
  'json.read': (text: JsonText): JsonValue => readJson(text),
});
type EdgeTasks = ReturnType<typeof edgeTasks>;

export const READ_BODY = taskOf<EdgeTasks, 'body.read'>('body.read', 5_000);
export const READ_JSON = taskOf<EdgeTasks, 'json.read'>('json.read', 5_000);
