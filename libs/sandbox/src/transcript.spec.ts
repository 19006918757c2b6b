// SPDX-License-Identifier: Apache-2.0
import { encodeAgentMessage, parseAgentMessage } from './agent-message.ts';
import { EntryTree } from './entry-tree.ts';
import { AGENT_FRAMES, encodeFrame, FrameDecoder, FrameError } from './frame.ts';
import { Transcript, type TranscriptMessage } from './transcript.ts';

const NONE = Buffer.alloc(0);
const EXIT: TranscriptMessage = { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 };
const out = (sequence: number, text: string): TranscriptMessage => ({
  type: 'stdout',
  sequence,
  bytes: Buffer.from(text),
});
const change = (
  path: string,
  after: Extract<TranscriptMessage, { type: 'change' }>['after'],
  bytes = NONE,
): TranscriptMessage => ({ type: 'change', path, after, bytes });
const end = (changes: number): TranscriptMessage => ({ type: 'end', changes });

function told(...messages: TranscriptMessage[]): Transcript {
  const sent = new EntryTree();
  for (const path of ['src/a', 'src/b']) sent.add(path, { kind: 'file', mode: '644', sha256: '0'.repeat(64), size: 1 });
  const transcript = new Transcript(sent, { outputBytes: 8, deltaBytes: 8, deltaFiles: 3 });
  for (const message of messages) transcript.accept(message);
  return transcript;
}

test.each<[string, TranscriptMessage[]]>([
  ['output out of sequence', [out(1, 'x')]],
  ['more output than its bound', [out(0, '123456789')]],
  ['output after the exit', [EXIT, out(0, 'x')]],
  ['a second exit', [EXIT, EXIT]],
  ['a change before the exit', [change('f', { kind: 'dir' })]],
  ['a path twice', [EXIT, change('f', { kind: 'dir' }), change('f', { kind: 'dir' })]],
  ['a deletion of nothing', [EXIT, change('f', null)]],
  [
    'a change while a file is open',
    [EXIT, change('f', { kind: 'file', mode: '644', size: 2 }, Buffer.from('a')), change('g', { kind: 'dir' })],
  ],
  [
    'an end while a file is open',
    [EXIT, change('f', { kind: 'file', mode: '644', size: 2 }, Buffer.from('a')), end(1)],
  ],
  [
    'more content than announced',
    [
      EXIT,
      change('f', { kind: 'file', mode: '644', size: 2 }, Buffer.from('a')),
      { type: 'data', bytes: Buffer.from('bc') },
    ],
  ],
  ['content without a file', [EXIT, { type: 'data', bytes: Buffer.from('b') }]],
  ['a wrong number of changes', [EXIT, end(1)]],
  ['a file below a file', [EXIT, change('src/a/x', { kind: 'dir' }), end(1)]],
  ['a file without its directory', [EXIT, change('new/x', { kind: 'dir' }), end(1)]],
  ['a directory that goes before its content', [EXIT, change('src', null), end(1)]],
  [
    'a directory that becomes a file above its content',
    [EXIT, change('src', { kind: 'symlink', target: 'x' }), change('src/a', null), end(2)],
  ],
  ['anything after the end', [EXIT, end(0), out(0, 'x')]],
  ['a second hello', [{ type: 'hello', agent: 'x' }]],
])('%s is refused', (_, messages) => {
  expect(() => told(...messages)).toThrow(FrameError);
});

test('too many or too large changes end the job as `limit`, with no effect', () => {
  const many = ['1', '2', '3', '4'].map((path) => change(path, { kind: 'dir' }));
  const large = change('f', { kind: 'file', mode: '644', size: 9 }, Buffer.from('123456789'));
  const links = change('l', { kind: 'symlink', target: '123456789' });
  for (const [messages, reason] of [
    [many, 'delta_files'],
    [[large], 'delta_bytes'],
    [[links], 'delta_bytes'],
  ] as const) {
    const transcript = told(EXIT, ...messages);
    expect([transcript.end?.ended, transcript.end?.reason, transcript.changes]).toEqual(['limit', reason, []]);
  }
});

test("the agent's reason for an abort is reported, without characters that could harm a terminal", () => {
  const transcript = told({ type: 'fault', reason: 'entry_special', detail: 'pipe \u001b[31m\u202e x' });
  expect(transcript.end).toEqual({ ended: 'invalid', reason: 'entry_special', detail: 'pipe ?[31m? x' });
});

test('a timeout has no effect, whatever follows', () => {
  const transcript = told({ ...EXIT, code: null, signal: 'SIGKILL', timedOut: true });
  expect([transcript.end?.ended, transcript.changes]).toEqual(['timeout', []]);
});

test('a tree is replaced when all of it is reported', () => {
  const { changes } = told(
    EXIT,
    change('src', { kind: 'symlink', target: 'x' }),
    change('src/a', null),
    change('src/b', null),
    end(3),
  );
  expect(changes.map(({ path, before, after }) => [path, before?.kind, after?.kind])).toEqual([
    ['src', 'dir', 'symlink'],
    ['src/a', 'file', undefined],
    ['src/b', 'file', undefined],
  ]);
});

const raw = (type: keyof typeof AGENT_FRAMES, payload: string | Uint8Array) => () => {
  for (const frame of new FrameDecoder(AGENT_FRAMES).push(encodeFrame(AGENT_FRAMES[type], Buffer.from(payload))))
    parseAgentMessage(frame);
};
const meta = (text: string) => `\0${String.fromCharCode(text.length)}${text}`;

test.each([
  ['fields that are no JSON', raw('exit', '{')],
  ['fields that are no object', raw('exit', '[]')],
  ['fields that are not UTF-8', raw('hello', Buffer.from([0x22, 0xff, 0x22]))],
  ['an exit by nothing', raw('exit', '{"code":null,"signal":null,"timed_out":false,"dropped_bytes":0}')],
  [
    'an exit by a status and a signal',
    raw('exit', '{"code":1,"signal":"SIGKILL","timed_out":false,"dropped_bytes":0}'),
  ],
  ['a status that is none', raw('exit', '{"code":256,"signal":null,"timed_out":false,"dropped_bytes":0}')],
  ['a count below zero', raw('end', '{"changes":-1}')],
  ['a fraction', raw('end', '{"changes":0.5}')],
  ['an inherited field', raw('hello', '{"__proto__":{"agent":"x"}}')],
  ['an unknown kind', raw('change', meta('{"path":"a","after":{"kind":"device"}}'))],
  ['an absolute path', raw('change', meta('{"path":"/a","after":null}'))],
  ['a way out', raw('change', meta('{"path":"a/../b","after":null}'))],
  ['a mode of its own', raw('change', meta('{"path":"a","after":{"kind":"file","mode":"4755","size":0}}'))],
  ['a link to nothing', raw('change', meta('{"path":"a","after":{"kind":"symlink","target":""}}'))],
  ['content for a directory', raw('change', `${meta('{"path":"a","after":{"kind":"dir"}}')}x`)],
  ['a frame shorter than its fields', raw('change', '\0\xff{}')],
  ['an empty chunk of output', raw('stdout', '\0\0\0\0')],
  ['an empty chunk of content', raw('data', '')],
  ['a reason of its own', raw('fault', '{"reason":"because","detail":""}')],
])('%s is refused', (_, parse) => {
  expect(parse).toThrow(FrameError);
});

test('an unknown field is ignored: a newer agent may send more', () => {
  expect(raw('end', '{"changes":0,"more":true}')).not.toThrow();
});

test('messages survive their encoding', () => {
  const messages: TranscriptMessage[] = [
    EXIT,
    out(0, 'x'),
    change('ü/\n', { kind: 'symlink', target: '"' }),
    end(1),
    { type: 'fault', reason: 'protocol', detail: 'd' },
  ];
  const frames = new FrameDecoder(AGENT_FRAMES).push(Buffer.concat(messages.map(encodeAgentMessage)));
  expect([...frames].map(parseAgentMessage)).toEqual(messages);
});

test('output beyond the shown part is counted, discarded and bounded', () => {
  const transcript = new Transcript(new EntryTree(), { outputBytes: 3, tapBytes: 8, deltaBytes: 8, deltaFiles: 3 });
  for (const [sequence, text] of ['ab', 'cd', 'efgh'].entries()) transcript.accept(out(sequence, text));
  expect(transcript.output.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['abc']);
  expect([transcript.outputBytes, transcript.truncatedBytes, transcript.droppedBytes]).toEqual([8, 5, 0]);
  transcript.accept({ ...EXIT, droppedBytes: 4 });
  expect([transcript.truncatedBytes, transcript.droppedBytes]).toEqual([9, 4]);
  const forged = new Transcript(new EntryTree(), { outputBytes: 3, tapBytes: 8, deltaBytes: 8, deltaFiles: 3 });
  forged.accept(out(0, '12345678'));
  expect(() => forged.accept(out(1, '9'))).toThrow('output exceeds its bound');
});

test.each<[string, string[], number]>([
  ['nothing', [], 0],
  ['a line without its end', ['a'], 1],
  ['lines over several messages, beyond what is shown', ['a\nb', 'c\nd\n', 'efghij\nk'], 5],
])('the lines of all output are counted: %s', (_name, texts, lines) => {
  const transcript = new Transcript(new EntryTree(), { outputBytes: 4, tapBytes: 100, deltaBytes: 8, deltaFiles: 3 });
  texts.forEach((text, n) => transcript.accept(out(n, text)));
  expect(transcript.outputLines).toBe(lines);
  transcript.accept({ ...EXIT, droppedBytes: 1 });
  expect(transcript.outputLines).toBeNull();
});
