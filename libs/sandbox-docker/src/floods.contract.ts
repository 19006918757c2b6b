// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { AGENT_FRAMES, encodeAgentMessage, WINDOW_BYTES, type AgentMessage } from '@writ/sandbox';

/** Jobs that run beside a flood, one after the other. */
export const NEIGHBOURS = 20;
/** The bytes that a pipe delivers at once. */
const PIECE_BYTES = 64 * 1024;

export interface Flood {
  readonly pieces: Iterator<Buffer, undefined>;
  /** of the container's streams; the first by default */
  readonly kind?: 1 | 2;
  /** whether the container reads its input */
  readonly reads?: boolean;
  /** whether its connections are answered without end */
  readonly answered?: boolean;
  /** with a timer's pause between pieces */
  readonly paused?: boolean;
}

const EXIT: AgentMessage = { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 };
const CHUNK = Buffer.alloc(32 * 1024);

/** Messages, joined to pieces of a pipe's size. */
function* joined(messages: Iterable<AgentMessage>): Generator<Buffer, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const message of messages) {
    const frame = encodeAgentMessage(message);
    parts.push(frame);
    bytes += frame.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    [parts, bytes] = [[], 0];
  }
  yield Buffer.concat(parts);
}

function* forever<T>(make: (n: number) => T): Generator<T, undefined> {
  for (let n = 0; ; n += 1) yield make(n);
}

function* each<T>(...parts: readonly Iterable<T>[]): Generator<T, undefined> {
  for (const part of parts) yield* part;
}

/** Floods that a job may write into the stream that it shares with its agent, by name. */
export const FLOODS: Readonly<Record<string, Flood>> = {
  'bytes by chance': { pieces: forever(() => randomBytes(PIECE_BYTES)) },
  zeros: { pieces: forever(() => Buffer.alloc(PIECE_BYTES)) },
  complaints: { pieces: forever(() => Buffer.alloc(PIECE_BYTES, 'x')), kind: 2 },
  'a letter at a time, on two streams in turn': {
    pieces: joined(
      forever((sequence) => ({ type: sequence % 2 === 0 ? 'stdout' : 'stderr', sequence, bytes: Buffer.from('x') })),
    ),
  },
  'a frame that never ends, a byte at a time': {
    pieces: each(
      [Buffer.from([0, 1, 0, 0, 1, AGENT_FRAMES.data.code])],
      forever(() => Buffer.alloc(1)),
    ),
    paused: true,
  },
  'a line that never ends, a byte at a time': { pieces: joinedOne(), paused: true },
  'paths as long as may be': {
    pieces: joined(
      each<AgentMessage>(
        [EXIT],
        forever((n) => ({
          type: 'change',
          path: `${'p'.repeat(250)}/`.repeat(16) + String(n).padStart(8, '0'),
          after: { kind: 'dir' },
          bytes: Buffer.alloc(0),
        })),
      ),
    ),
  },
  'one file as long as may be': {
    pieces: joined(
      each<AgentMessage>(
        [EXIT, { type: 'change', path: 'f', after: { kind: 'file', mode: '644', size: 16 * 2 ** 20 }, bytes: CHUNK }],
        forever(() => ({ type: 'data', bytes: CHUNK })),
      ),
    ),
  },
  'connections, each full': { pieces: joined(connections()) },
  'connections that are reset at once': {
    pieces: joined(
      forever((n) =>
        n % 2 === 0 ? { type: 'net_open', channel: n / 2 + 1 } : { type: 'net_reset', channel: (n + 1) / 2 },
      ),
    ),
  },
  'room for a connection that is gone': {
    pieces: joined(
      each<AgentMessage>(
        [
          { type: 'net_open', channel: 1 },
          { type: 'net_reset', channel: 1 },
        ],
        forever(() => ({ type: 'net_credit', channel: 1, count: 1 })),
      ),
    ),
  },
  'room for what it never reads': {
    pieces: joined(
      each<AgentMessage>(
        [{ type: 'net_open', channel: 1 }],
        forever(() => ({ type: 'net_credit', channel: 1, count: CHUNK.length })),
      ),
    ),
    reads: false,
    answered: true,
    paused: true,
  },
};

function* joinedOne(): Generator<Buffer, undefined> {
  for (let sequence = 0; ; sequence += 1)
    yield encodeAgentMessage({ type: 'stdout', sequence, bytes: Buffer.from('x') });
}

function* connections(): Generator<AgentMessage, undefined> {
  for (let channel = 1; ; channel += 1) {
    yield { type: 'net_open', channel };
    for (let sent = 0; sent < WINDOW_BYTES; sent += CHUNK.length) yield { type: 'net_data', channel, bytes: CHUNK };
  }
}
