// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';

/** How far back destructive calls and failures count. */
const WINDOW_MS = 3_600_000;
/** As far as counting tells the risk table anything. */
const DESTRUCTIVE_MAX = 3;
const FAILURES_MAX = 5;

/** What kernel.session_past is asked for. */
export interface PastAsked {
  readonly window_ms: number;
  readonly destructive_max: number;
  readonly failures_max: number;
  /** whose calls can fail in a row */
  readonly tools: readonly string[];
}

const WHOLE: PastAsked = {
  window_ms: WINDOW_MS,
  destructive_max: DESTRUCTIVE_MAX,
  failures_max: FAILURES_MAX,
  tools: [...TOOLS.keys()],
};

/**
 * What of a session's past the risk of a call of the tool hangs on; null where on nothing, as for tools that only read.
 */
export const pastAsked = (toolId: string): PastAsked | null => (TOOLS.get(toolId)?.category === 'read' ? null : WHOLE);

/**
 * The part that is asserted where a decision is written: calls that destroy, in one session, count each other however
 * many come at once.
 */
export const DESTRUCTION_ASKED: PastAsked = { ...WHOLE, failures_max: 0, tools: [] };
