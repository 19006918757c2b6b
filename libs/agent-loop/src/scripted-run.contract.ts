// SPDX-License-Identifier: Apache-2.0
import { newRun } from './run-state.ts';
import { Model, type Message, type ModelCall, type ModelDelta, type ModelTurn } from './model.ts';
import { runAgent, type AgentNote, type AgentRun } from './run-agent.ts';
import type { RunEvent, ToolAnswer } from './run-event.ts';

export const call = (id: string, path = id): ModelCall => ({ id, tool_id: 'fs.read', args: { path } });
export const turnWithCalls = (...ids: string[]): ModelTurn => ({
  text: '',
  calls: ids.map((id) => call(id)),
  stop: 'tool_use',
});
export const turnWithText = (text: string): ModelTurn => ({ text, calls: [], stop: 'end' });
export const completedAnswer = (text: string): ToolAnswer => ({ text, standing: 'completed', is_error: false });
export const failedAnswer = (text: string): ToolAnswer => ({ text, standing: 'failed', is_error: true });

/** A model with given replies and failures; it records the messages of each request. */
export class ScriptModel extends Model {
  readonly name = 'script';
  readonly seen: (readonly Message[])[] = [];
  readonly #script: (ModelTurn | Error)[];
  constructor(script: (ModelTurn | Error)[]) {
    super();
    this.#script = script;
  }
  override async *reply({ messages }: { messages: readonly Message[] }): AsyncGenerator<ModelDelta, ModelTurn, void> {
    this.seen.push(messages);
    const next = this.#script.shift();
    if (next === undefined) throw new Error('asked too often');
    if (next instanceof Error) throw next;
    if (next.text !== '') yield { kind: 'text', text: next.text };
    return next;
  }
}

/** Starts a run of that model, and records its calls, events, notes and waits. */
export function runOf(script: (ModelTurn | Error)[], over: Partial<AgentRun> = {}) {
  const ran: string[] = [];
  const events: RunEvent[] = [];
  const notes: AgentNote[] = [];
  const waits: number[] = [];
  const model = new ScriptModel(script);
  const run: AgentRun = {
    model,
    system: 's',
    tools: [],
    state: newRun([{ role: 'user', text: 'p' }]),
    callTool: (c) => {
      ran.push(c.id);
      return Promise.resolve(completedAnswer(`read ${c.id}`));
    },
    keep: (event) => {
      events.push(event);
      return Promise.resolve();
    },
    onNote: (note) => notes.push(note),
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    chance: () => 0.5,
    signal: new AbortController().signal,
    ...over,
  };
  return { ran, events, notes, waits, model, outcome: runAgent(run) };
}
