// SPDX-License-Identifier: Apache-2.0
import type { ModelCall, Touch } from '@writ/agent-loop';

/** Tools that touch the one path that they name, and nothing else. */
const OF_ONE_PATH: ReadonlySet<string> = new Set(['fs.read', 'fs.write', 'fs.edit', 'fs.list']);

/** What a call touches, as far as its name and arguments say it for sure; null for all else, which runs alone. */
export function touchesOf({ tool_id, args }: ModelCall): readonly Touch[] | null {
  const path = args['path'];
  if (!OF_ONE_PATH.has(tool_id) || typeof path !== 'string') return null;
  // Two spellings of one path would be two: what isn't plain runs alone.
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(path) ? [{ kind: 'path', name: path }] : null;
}
