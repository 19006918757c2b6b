// SPDX-License-Identifier: Apache-2.0
import type { ModelCall, ModelTurn } from './model.ts';
import { runAgent } from './run-agent.ts';
import type { RunEvent, ToolAnswer } from './run-event.ts';
import { newRun } from './run-state.ts';
import { TextModel } from './text-model.ts';
import { parseTranscript, TranscriptModel, transcriptOf, type Transcript } from './transcript.ts';

const call: ModelCall = { id: 'a', tool_id: 'fs.read', args: { path: 'a' } };
const usage = { input_tokens: 1, cached_tokens: 0, output_tokens: 2 };

/** The events of a run that a transcript drives. */
async function eventsOf(transcript: Transcript, dialect?: 'blocks'): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const told = new TranscriptModel(transcript);
  await runAgent({
    model: dialect === undefined ? told : new TextModel(told, dialect),
    system: '',
    tools: [],
    state: newRun([{ role: 'user', text: transcript.prompt }]),
    rules: {},
    touchesOf: () => null,
    signal: new AbortController().signal,
    keep: (event) => {
      events.push(event);
      return Promise.resolve();
    },
    callTool: (): Promise<ToolAnswer> =>
      Promise.resolve({ text: 'x', standing: 'completed', is_error: false, outcome: { result: 'x', error: null } }),
    onNote: () => undefined,
    wait: () => Promise.resolve(),
    chance: () => 0,
  });
  return events;
}

it('the transcript of a recorded run replays it', async () => {
  const turns: ModelTurn[] = [
    { text: 'I look.', calls: [call], stop: 'tool_use', usage, native: { provider: 'p', content: 'signed' } },
    { text: 'Done.', calls: [], stop: 'end' },
  ];
  const events = await eventsOf({ v: 1, model: 'm', prompt: 'look', turns });
  const made = parseTranscript(transcriptOf('m', 'look', events));
  expect(made.turns).toEqual([
    { text: 'I look.', calls: [call], stop: 'tool_use', usage },
    { text: 'Done.', calls: [], stop: 'end' },
  ]);
  expect(transcriptOf('m', 'look', await eventsOf(made))).toEqual(made);
});

it('a run in a dialect of text is replayed as its model wrote it', async () => {
  const turns: ModelTurn[] = [
    { text: 'I look.\n[TOOL_CALL:a] {"action":"fs.read","args":{"path":"a"}}', calls: [], stop: 'end', usage },
    { text: 'Done.', calls: [], stop: 'end' },
  ];
  const events = await eventsOf({ v: 1, model: 'm', prompt: 'look', turns }, 'blocks');
  expect(events.map(({ kind }) => kind)).toEqual(['replied', 'answered', 'replied']);
  expect(transcriptOf('m', 'look', events).turns).toEqual(turns);
});

it('a transcript has summaries and explanations of held calls as replies', () => {
  const events: RunEvent[] = [
    { kind: 'compacted', until: 1, summary: 'so far', usage },
    { kind: 'explained', round: 1, turn: { text: 'it waits', calls: [], stop: 'end' } },
    { kind: 'resumed' },
  ];
  expect(transcriptOf('m', 'look', events).turns).toEqual([
    { text: 'so far', calls: [], stop: 'end', usage },
    { text: 'it waits', calls: [], stop: 'end' },
  ]);
});
