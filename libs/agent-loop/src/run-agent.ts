// SPDX-License-Identifier: Apache-2.0
import type { Message, Model, ModelCall, ModelTurn, ToolOffer } from './model.ts';

/** What a tool answered, as the model reads it. */
export interface ToolAnswer {
  readonly text: string;
  readonly is_error: boolean;
}

export type AgentEvent =
  | { readonly kind: 'turn'; readonly round: number; readonly turn: ModelTurn }
  | { readonly kind: 'answer'; readonly round: number; readonly call: ModelCall; readonly answer: ToolAnswer };

export interface AgentRun {
  readonly model: Model;
  readonly system: string;
  readonly prompt: string;
  readonly tools: readonly ToolOffer[];
  /** Runs one call. A throw becomes the call's answer: the model may try another way. */
  readonly callTool: (call: ModelCall, signal: AbortSignal) => Promise<ToolAnswer>;
  /** most replies of the model; 20 unless said */
  readonly roundsMax?: number;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
}

/** `end`: the model was done. `limit`: the last allowed round still asked for tools. `length`: a reply was cut off. */
export interface AgentOutcome {
  readonly stopped: 'end' | 'limit' | 'length';
  readonly rounds: number;
  readonly messages: readonly Message[];
}

const ROUNDS_MAX = 20;
export const LIMIT_TEXT = 'Stopped: maximum iteration limit reached.';

/**
 * Asks the model, runs the calls of its reply one after another, tells it the answers, and so on until it asks for no more.
 * Rejects with the signal's reason when that aborts, and with the model's error when the model fails.
 */
export async function runAgent(run: AgentRun): Promise<AgentOutcome> {
  const messages: Message[] = [{ role: 'user', text: run.prompt }];
  const roundsMax = run.roundsMax ?? ROUNDS_MAX;
  for (let round = 1; round <= roundsMax; round++) {
    run.signal.throwIfAborted();
    const turn = await run.model.next({ system: run.system, messages, tools: run.tools }, run.signal);
    messages.push({ role: 'assistant', text: turn.text, calls: turn.calls });
    run.onEvent?.({ kind: 'turn', round, turn });
    if (turn.stop === 'length') return { stopped: 'length', rounds: round, messages };
    if (turn.calls.length === 0) return { stopped: 'end', rounds: round, messages };
    for (const call of turn.calls) messages.push(await answered(run, round, call));
  }
  messages.push({ role: 'assistant', text: LIMIT_TEXT, calls: [] });
  return { stopped: 'limit', rounds: roundsMax, messages };
}

async function answered(run: AgentRun, round: number, call: ModelCall): Promise<Message> {
  run.signal.throwIfAborted();
  const answer = await run.callTool(call, run.signal).catch((error: unknown): ToolAnswer => {
    run.signal.throwIfAborted();
    return { text: error instanceof Error ? error.message : String(error), is_error: true };
  });
  run.onEvent?.({ kind: 'answer', round, call, answer });
  return { role: 'tool', call_id: call.id, text: answer.text, is_error: answer.is_error };
}
