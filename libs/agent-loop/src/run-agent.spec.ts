// SPDX-License-Identifier: Apache-2.0
import type { ModelCall, ModelTurn } from './model.ts';
import { LIMIT_TEXT, runAgent, type AgentRun, type ToolAnswer } from './run-agent.ts';
import { TranscriptModel } from './transcript.ts';

const call = (id: string): ModelCall => ({ id, tool_id: 'fs.read', args: { path: id } });
const asks = (...ids: string[]): ModelTurn => ({ text: '', calls: ids.map(call), stop: 'tool_use' });
const says = (text: string): ModelTurn => ({ text, calls: [], stop: 'end' });

function runOf(turns: ModelTurn[], over: Partial<AgentRun> = {}) {
  const ran: string[] = [];
  const callTool = (c: ModelCall): Promise<ToolAnswer> => { ran.push(c.id); return Promise.resolve({ text: `read ${c.id}`, is_error: false }); };
  const model = new TranscriptModel({ v: 1, model: 'm', prompt: 'p', turns });
  return { ran, outcome: runAgent({ model, system: 's', prompt: 'p', tools: [], callTool, signal: new AbortController().signal, ...over }) };
}

describe('the loop', () => {
  it('S5.1: ends after one round when no tool is asked for', async () => {
    const { ran, outcome } = runOf([says('hello')]);
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 1 });
    expect(ran).toEqual([]);
  });

  it('S5.2, S5.6: tells the answers and goes on until the model is done', async () => {
    const { outcome } = runOf([asks('a'), asks('b'), says('done')]);
    const { messages, rounds } = await outcome;
    expect(rounds).toBe(3);
    expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
  });

  it('S5.3: runs the calls of one turn in their order', async () => {
    const { ran, outcome } = runOf([asks('a', 'b', 'c'), says('done')]);
    await outcome;
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('S5.4: a tool that throws is an answer, not the end', async () => {
    const { outcome } = runOf([asks('a'), says('sorry')], { callTool: () => Promise.reject(new Error('no such file')) });
    expect((await outcome).messages[2]).toEqual({ role: 'tool', call_id: 'a', text: 'no such file', is_error: true });
  });

  it('S5.5, S5.8: an abort ends it, also while a tool runs', async () => {
    const abort = new AbortController();
    const { outcome } = runOf([asks('a'), says('done')], {
      signal: abort.signal,
      callTool: () => { abort.abort(new Error('stop')); return Promise.reject(new Error('killed')); },
    });
    await expect(outcome).rejects.toThrow('stop');
    const early = new AbortController();
    early.abort(new Error('before'));
    await expect(runOf([says('x')], { signal: early.signal }).outcome).rejects.toThrow('before');
  });

  it('S5.7: stops at the limit and says so, but not when the last allowed round ended by itself', async () => {
    const limited = await runOf([asks('a'), asks('b')], { roundsMax: 2 }).outcome;
    expect(limited.stopped).toBe('limit');
    expect(limited.messages.at(-1)).toMatchObject({ text: LIMIT_TEXT });
    const ended = await runOf([asks('a'), says('done')], { roundsMax: 2 }).outcome;
    expect(ended.stopped).toBe('end');
  });

  it('runs no call of a reply that was cut off', async () => {
    const { ran, outcome } = runOf([{ text: '', calls: [call('a')], stop: 'length' }]);
    expect((await outcome).stopped).toBe('length');
    expect(ran).toEqual([]);
  });

  it('says when a transcript runs out', async () => {
    await expect(runOf([asks('a')]).outcome).rejects.toThrow('no further turn');
  });
});
