// SPDX-License-Identifier: Apache-2.0
import type { ToolAnswer } from '@writ/agent-loop';
import type { KeptEvents } from '../../store/session-rows/run-events.ts';
import type { RunRow } from '../../store/session-rows/sessions.ts';

/** Longest final text of a sub-agent that the agent above receives. */
const TEXT_CHARS_MAX = 40_000;

/**
 * The answer for the agent above: the final text, how the sub-agent ended, and the usage of it and all sub-agents below
 * it.
 */
export async function subAgentAnswer(run: RunRow, events: KeptEvents): Promise<ToolAnswer> {
  let [text, calls, tokens, cost] = ['', 0, run.input_tokens + run.output_tokens, run.cost ?? 0];
  for await (const event of events) {
    if (event.kind === 'replied') text = event.turn.text.slice(0, TEXT_CHARS_MAX);
    if (event.kind !== 'answered') continue;
    calls += 1;
    tokens += event.answer.below?.tokens ?? 0;
    cost += event.answer.below?.cost ?? 0;
  }
  const isDone = run.stopped === 'end';
  return {
    text: JSON.stringify({
      status: isDone ? 'ok' : 'error',
      run_id: run.run_id,
      stopped: run.stopped,
      rounds: run.rounds,
      calls,
      tokens,
      text,
    }),
    standing: isDone ? 'completed' : run.stopped === 'cancelled' ? 'cancelled' : 'failed',
    is_error: !isDone,
    below: { run_id: run.run_id, tokens, cost },
  };
}
