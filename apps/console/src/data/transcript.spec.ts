// SPDX-License-Identifier: Apache-2.0
import type { Download, Run, Session } from '@writ/client/web';
import { isWhole, NOTHING_LIVE, parseTranscript, readText, withStreamed } from './transcript.ts';

const session = { session_id: 'ses_1' } as Session;
const run = { run_id: 'run_1' } as Run;
const event = { seq: 1, at: 5, kind: 'ended', stopped: 'end' } as const;
const LINES = [
  { line: 'session', v: 1, session },
  { line: 'run', run, input: 'go' },
  { line: 'event', run_id: 'run_1', event },
  { line: 'end', runs: 1, events: 1 },
].map((line) => `${JSON.stringify(line)}\n`);

function download(...chunks: readonly string[]): Download {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(new TextEncoder().encode(chunk));
  }
  return { [Symbol.asyncIterator]: bytes } as unknown as Download;
}

describe('a transcript', () => {
  it('has its runs with their inputs and events, and says that it is whole', () => {
    const text = LINES.join('');
    expect(parseTranscript(text)).toEqual({ session, runs: [{ run, input: 'go', events: [event] }], isWhole: true });
    expect(isWhole(text)).toBe(true);
  });

  it('that was cut within a line has the lines before it, and is not whole', () => {
    const text = LINES.join('').slice(0, -12);
    expect(parseTranscript(text)).toEqual({ session, runs: [{ run, input: 'go', events: [event] }], isWhole: false });
    expect(isWhole(text.slice(0, text.lastIndexOf('\n')))).toBe(false);
  });

  it('without a session is an error', () => {
    expect(() => parseTranscript('')).toThrow('no session');
  });

  it('is read no further than to its limit', async () => {
    expect(await readText(download('abc', 'def', 'ghi'), 4)).toBe('abcdef');
    expect(await readText(download('abc', 'def'), 100)).toBe('abcdef');
  });
});

describe('a streamed reply', () => {
  it('grows piece by piece, with the calls that it asks for and their operations', () => {
    const live = [
      { event: 'text', data: { round: 1, text: 'one ' }, id: null },
      { event: 'text', data: { round: 1, text: 'two' }, id: null },
      { event: 'asked', data: { round: 1, call: { id: 'c', tool_id: 'fs.read', args: null } }, id: null },
      { event: 'started', data: { round: 1, index: 0, operation_id: 'op_1' }, id: null },
    ].reduce(withStreamed, NOTHING_LIVE);
    expect(live).toMatchObject({ text: 'one two', asked: [{ tool_id: 'fs.read' }] });
    expect(live.started.get('1/0')).toBe('op_1');
  });
});
