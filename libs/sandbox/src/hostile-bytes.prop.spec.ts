// SPDX-License-Identifier: Apache-2.0
//
// The output of a container is parsed by the process that all containers share. For any bytes, that process goes on: it
// either accepts them, or throws FrameError and accepts no more. WRIT_FUZZ_RUNS sets more cases than the few thousand
// of every run.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { encodeAgentMessage, parseAgentMessage, type AgentMessage } from './agent-message.ts';
import { isChannelMessage } from './channel-message.ts';
import { Channels, CHANNELS_MAX, WINDOW_BYTES } from './channels.ts';
import { EntryTree } from './entry-tree.ts';
import { AGENT_FRAMES, FrameDecoder, FrameError, FRAME_HEADER_BYTES } from './frame.ts';
import { ShellClient } from './shell-client.ts';
import { Transcript } from './transcript.ts';

const RUNS = Number(process.env['WRIT_FUZZ_RUNS'] ?? 3_000);
const BOUNDS = { outputBytes: 200, deltaBytes: 200, deltaFiles: 4 };
const SECONDS = 1_000;

const HONEST: readonly AgentMessage[] = [
  { type: 'stdout', sequence: 0, bytes: Buffer.from('hello') },
  { type: 'stderr', sequence: 1, bytes: Buffer.from('oh') },
  { type: 'net_open', channel: 1 },
  { type: 'net_data', channel: 1, bytes: Buffer.from('GET / HTTP/1.1\r\n\r\n') },
  { type: 'net_credit', channel: 1, count: 7 },
  { type: 'net_end', channel: 1 },
  { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 },
  { type: 'change', path: 'f', after: { kind: 'file', mode: '644', size: 6 }, bytes: Buffer.from('abc') },
  { type: 'data', bytes: Buffer.from('def') },
  { type: 'change', path: 'd', after: { kind: 'dir' }, bytes: Buffer.alloc(0) },
  { type: 'change', path: 'd/l', after: { kind: 'symlink', target: '../f' }, bytes: Buffer.alloc(0) },
  { type: 'change', path: 'a', after: null, bytes: Buffer.alloc(0) },
  { type: 'turned', turn: 1, state: 'idle', refused: null, code: 0, droppedBytes: 0 },
  { type: 'checked', conflicts: ['x/y'] },
  { type: 'fault', reason: 'entry_name', detail: 'a name' },
  { type: 'end', changes: 4 },
  { type: 'hello', agent: 'x' },
  { type: 'net_reset', channel: 1 },
];
const frames = HONEST.map(encodeAgentMessage);

/** JSON with other fields than a frame has, and other text. */
const metaArb = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    '{"__proto__":{"code":0}}',
    '{"code":1e999}',
    '{"code":-0,"signal":null}',
    '[]',
    'null',
    '{',
    '{"path":"\\ud800","after":null}',
    `${'['.repeat(30_000)}`,
    `{"a":${'{"a":'.repeat(9_000)}`,
  ),
  fc
    .dictionary(
      fc.constantFrom(
        'agent',
        'code',
        'signal',
        'timed_out',
        'dropped_bytes',
        'path',
        'after',
        'changes',
        'reason',
        'detail',
        'turn',
        'state',
        'conflicts',
      ),
      fc.anything({ maxDepth: 2 }),
      { maxKeys: 6 },
    )
    .map((fields) => {
      try {
        return JSON.stringify(fields);
      } catch {
        return '{}';
      }
    }),
);
const typeArb = fc.constantFrom(...(Object.keys(AGENT_FRAMES) as (keyof typeof AGENT_FRAMES)[]));
const rawFrame = (code: number, payload: Uint8Array, length = payload.length): Buffer => {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + payload.length);
  frame.writeUInt32BE(length, 0);
  frame.set([1, code], 4);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
};
/** One frame: a valid one, or with changed bytes, other fields, or a wrong length. */
const frameArb: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...frames) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...frames), fc.nat(), fc.nat(255)).map(([frame, at, byte]) => {
      const made = Buffer.from(frame);
      made.writeUInt8(byte, at % made.length);
      return made;
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(typeArb, metaArb).map(([type, text]) => rawFrame(AGENT_FRAMES[type].code, Buffer.from(text))),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(metaArb, fc.nat(70_000), fc.uint8Array({ maxLength: 9 })).map(([text, length, rest]) => {
      const prefix = Buffer.alloc(2);
      prefix.writeUInt16BE(Math.min(65_535, length % 2 === 0 ? Buffer.byteLength(text) % 65_536 : length));
      return rawFrame(AGENT_FRAMES.change.code, Buffer.concat([prefix, Buffer.from(text), rest]));
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(typeArb, fc.uint8Array({ maxLength: 40 }))
      .map(([type, payload]) => rawFrame(AGENT_FRAMES[type].code, payload)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(255), fc.uint8Array({ maxLength: 20 }), fc.nat(2 ** 32 - 1))
      .map(([code, payload, length]) => rawFrame(code, payload, length)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)) },
);
const streamArb = fc.tuple(fc.array(frameArb, { maxLength: 24 }), fc.integer({ min: 1, max: 400 }));

/**
 * Reads a stream as a process does, until FrameError; any other error fails the test. Returns whether it reached the
 * end.
 */
function read([parts, step]: readonly [readonly Buffer[], number], take: (message: AgentMessage) => void): boolean {
  const bytes = Buffer.concat(parts);
  const decoder = new FrameDecoder(AGENT_FRAMES);
  try {
    for (let at = 0; at < bytes.length; at += step)
      for (const frame of decoder.push(bytes.subarray(at, at + step))) take(parseAgentMessage(frame));
    return true;
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return false;
  }
}

function sentTree(): EntryTree {
  const sent = new EntryTree();
  sent.add('a', { kind: 'file', mode: '644', sha256: '0'.repeat(64), size: 1 });
  return sent;
}

test(
  'hostile bytes of a job cause only FrameError, and are kept within the bounds',
  () => {
    let [whole, accepted] = [0, 0];
    fc.assert(
      fc.property(streamArb, (stream) => {
        const transcript = new Transcript(sentTree(), BOUNDS);
        const channels = new Channels({ send: () => undefined, opened: (connection) => connection.resume() });
        if (
          read(stream, (message) =>
            isChannelMessage(message) ? channels.receive(message) : transcript.accept(message),
          )
        )
          whole += 1;
        if (transcript.end !== null) accepted += 1;
        expect(transcript.output.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(
          BOUNDS.outputBytes + 32,
        );
        expect(transcript.changes.length).toBeLessThanOrEqual(BOUNDS.deltaFiles);
        expect(channels.size).toBeLessThanOrEqual(CHANNELS_MAX);
        channels.close();
      }),
      { numRuns: RUNS },
    );
    // Some runs succeed, and not all of them.
    expect([whole > RUNS / 100, whole < RUNS, accepted > RUNS / 100]).toEqual([true, true, true]);
  },
  120 * SECONDS + RUNS * 20,
);

test(
  'hostile bytes of a shell cause only FrameError, and each request settles or stays open',
  () => {
    fc.assert(
      fc.property(streamArb, (stream) => {
        const talk = new ShellClient(() => Promise.resolve());
        const channels = new Channels({ send: () => undefined, opened: (connection) => void connection.resume() });
        const turn = talk.turn({ command: 'x', yieldMs: 1, limits: { cpuMs: 1, cpus: 1, ...BOUNDS } }, channels);
        turn.catch(() => undefined);
        read(stream, (message) => talk.accept(message));
        expect(channels.size).toBeLessThanOrEqual(CHANNELS_MAX);
        channels.close();
      }),
      { numRuns: RUNS },
    );
  },
  120 * SECONDS + RUNS * 20,
);

/** Other specs of this worker leave buffers behind that are not collected yet. */
function heldBytes(): number {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

test('a decoder holds at most one frame, however small the chunks and however long the stream', async () => {
  const decoder = new FrameDecoder(AGENT_FRAMES);
  const { code, bytesMax } = AGENT_FRAMES.change;
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32BE(bytesMax);
  header.set([1, code], 4);
  const before = heldBytes();
  // Fifty of the largest frames, a few bytes at a time. None is ever complete: the last byte of each is withheld.
  const decoders = Array.from({ length: 50 }, () => new FrameDecoder(AGENT_FRAMES));
  for (const each of [decoder, ...decoders]) {
    expect([...each.push(header)]).toEqual([]);
    for (let at = 0; at < bytesMax - 1; at += 1_021)
      expect([...each.push(Buffer.alloc(Math.min(1_021, bytesMax - 1 - at)))]).toEqual([]);
    expect(each.idle).toBe(false);
  }
  // V8 frees the memory of collected buffers on another thread: the figure falls some time after the collection.
  const bound = 51 * bytesMax + 32 * WINDOW_BYTES;
  await expect.poll(() => heldBytes() - before, { timeout: 10 * SECONDS }).toBeLessThan(bound);
  expect(decoders.every(({ idle }) => !idle)).toBe(true);
});
