// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { encodeAgentMessage, parseAgentMessage } from './agent-message.ts';
import { EntryTree } from './entry-tree.ts';
import { isChannelMessage } from './channel-message.ts';
import { AGENT_FRAMES, FrameDecoder, FrameError } from './frame.ts';
import { pathFault } from './path.ts';
import { Transcript, type TranscriptMessage } from './transcript.ts';

const BOUNDS = { outputBytes: 64, deltaBytes: 64, deltaFiles: 4 };
const pathArb = fc.oneof(
  fc.constantFrom('a', 'a/b', 'a/b/c', 'd', 'd/e', 'f', '../x', '/x', 'a//b', '.', 'a/..', ''),
  fc.string({ maxLength: 6, unit: 'binary' }),
);
const bytesArb = fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes));
const afterArb = fc.oneof(
  fc.constant(null),
  fc.constant({ kind: 'dir' as const }),
  fc.record({ kind: fc.constant('symlink' as const), target: fc.string({ maxLength: 5, unit: 'binary' }) }),
  fc.record({
    kind: fc.constant('file' as const),
    mode: fc.constantFrom('644' as const, '755' as const),
    size: fc.nat(80),
  }),
);
const messageArb: fc.Arbitrary<TranscriptMessage> = fc.oneof(
  fc.record({ type: fc.constantFrom('stdout' as const, 'stderr' as const), sequence: fc.nat(3), bytes: bytesArb }),
  fc.record({
    type: fc.constant('exit' as const),
    code: fc.constantFrom(0, 1, null),
    signal: fc.constantFrom(null, 'SIGKILL', 'x'),
    timedOut: fc.constant(false),
    droppedBytes: fc.nat(9),
  }),
  fc.record({ type: fc.constant('change' as const), path: pathArb, after: afterArb, bytes: bytesArb }),
  fc.record({ type: fc.constant('data' as const), bytes: bytesArb }),
  fc.record({ type: fc.constant('end' as const), changes: fc.nat(4) }),
  fc.record({
    type: fc.constant('fault' as const),
    reason: fc.constantFrom('delta_bytes' as const, 'entry_name' as const),
    detail: fc.string(),
  }),
  fc.constant({ type: 'hello' as const, agent: 'x' }),
);
/** Mostly in an order that makes progress: exit first, end last. */
const accountArb = fc.oneof(
  fc.array(messageArb, { maxLength: 12 }),
  fc
    .tuple(fc.array(messageArb, { maxLength: 6 }), fc.nat(4))
    .map(([middle, changes]): TranscriptMessage[] => [
      { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 },
      ...middle.filter(({ type }) => type === 'change' || type === 'data'),
      { type: 'end', changes },
    ]),
);

function sentTree(): EntryTree {
  const sent = new EntryTree();
  sent.add('a/b/c', { kind: 'file', mode: '644', sha256: '0'.repeat(64), size: 1 });
  sent.add('d', { kind: 'dir', mode: null, sha256: null, size: 0 });
  return sent;
}

/** Feeds messages until one is refused; any error but FrameError fails the test. */
function feed(transcript: Transcript, frames: Buffer): boolean {
  const decoder = new FrameDecoder(AGENT_FRAMES);
  try {
    for (const frame of decoder.push(frames)) {
      const message = parseAgentMessage(frame);
      if (!isChannelMessage(message)) transcript.accept(message);
    }
    return true;
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return false;
  }
}

test('for any messages, the kept data stays within the bounds and every kept path is valid', () => {
  fc.assert(
    fc.property(accountArb, (messages) => {
      const transcript = new Transcript(sentTree(), BOUNDS);
      feed(transcript, Buffer.concat(messages.map(encodeAgentMessage)));
      expect(transcript.output.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(
        BOUNDS.outputBytes + 24,
      );
      const { changes } = transcript;
      expect(changes.length).toBeLessThanOrEqual(BOUNDS.deltaFiles);
      expect(
        changes.reduce((sum, { after }) => sum + (after?.kind === 'file' ? after.bytes.length : 0), 0),
      ).toBeLessThanOrEqual(BOUNDS.deltaBytes);
      expect(changes.filter(({ path }) => pathFault(path) !== null)).toEqual([]);
      expect(new Set(changes.map(({ path }) => path)).size).toBe(changes.length);
    }),
    { numRuns: 2000 },
  );
});

test('every accepted delta leaves a valid tree', () => {
  let accepted = 0;
  fc.assert(
    fc.property(accountArb, (messages) => {
      const sent = sentTree();
      const transcript = new Transcript(sent, BOUNDS);
      if (!feed(transcript, Buffer.concat(messages.map(encodeAgentMessage))) || transcript.end?.ended !== 'exited')
        return;
      accepted++;
      const kinds = new Map([...sent.paths()].map((path) => [path, sent.at(path)?.kind]));
      for (const { path, after } of transcript.changes) {
        if (after) kinds.set(path, after.kind);
        else kinds.delete(path);
      }
      for (const path of kinds.keys()) {
        const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
        if (parent !== '') expect([path, kinds.get(parent)]).toEqual([path, 'dir']);
      }
    }),
    { numRuns: 5000 },
  );
  expect(accepted).toBeGreaterThan(20);
});

test('a flipped byte is refused or reported unchanged, and never crashes the reader', () => {
  const whole = Buffer.concat(
    (
      [
        { type: 'stdout', sequence: 0, bytes: Buffer.from('hello') },
        { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 },
        { type: 'change', path: 'f', after: { kind: 'file', mode: '644', size: 6 }, bytes: Buffer.from('abc') },
        { type: 'data', bytes: Buffer.from('def') },
        { type: 'change', path: 'd', after: null, bytes: Buffer.alloc(0) },
        { type: 'end', changes: 2 },
      ] satisfies TranscriptMessage[]
    ).map(encodeAgentMessage),
  );
  expect(feed(new Transcript(sentTree(), BOUNDS), whole)).toBe(true);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at);
      feed(new Transcript(sentTree(), BOUNDS), bytes);
    }),
    { numRuns: 2000 },
  );
});
