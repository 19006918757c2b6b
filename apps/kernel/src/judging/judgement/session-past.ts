// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';

/** How far back destructive calls and failures count. */
const WINDOW_MS = 3_600_000;
/** The risk table makes no difference beyond these counts. */
const DESTRUCTIVE_MAX = 3;
const FAILURES_MAX = 5;

/** The parameters of kernel.session_past. */
export interface PastQuery {
  readonly window_ms: number;
  readonly destructive_max: number;
  readonly failures_max: number;
  /** the tools whose calls can fail in a row */
  readonly tools: readonly string[];
}

const WHOLE: PastQuery = {
  window_ms: WINDOW_MS,
  destructive_max: DESTRUCTIVE_MAX,
  failures_max: FAILURES_MAX,
  tools: [...TOOLS.keys()],
};

/**
 * The part of a session's past that the risk of a call of the tool depends on; null where none, as for tools that only
 * read.
 */
export const pastQueryFor = (toolId: string): PastQuery | null =>
  TOOLS.get(toolId)?.category === 'read' ? null : WHOLE;

/**
 * The part that is asserted where a decision is written: calls of one session that destroy count each other, however
 * many arrive at once.
 */
export const DESTRUCTION_QUERY: PastQuery = { ...WHOLE, failures_max: 0, tools: [] };
