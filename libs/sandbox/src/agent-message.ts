// SPDX-License-Identifier: Apache-2.0
import { encodeAgentChannel, isChannelFrame, parseChannel, type ChannelMessage } from './channel-message.ts';
import { AGENT_FRAMES, encodeFrame, FrameError, type Frame } from './frame.ts';
import {
  countOf,
  encodeMeta,
  flagOf,
  isNull,
  listOf,
  oneOf,
  parseMeta,
  prefixMeta,
  splitMeta,
  textOf,
  type Meta,
} from './meta.ts';
import { pathFault, targetFault } from './path.ts';

/** Why the agent aborts a job. */
export const FAULT_REASONS = [
  'delta_bytes',
  'delta_files',
  'workspace_space',
  'entry_special',
  'entry_unreadable',
  'entry_name',
  'protocol',
  'shell',
] as const;
export type FaultReason = (typeof FAULT_REASONS)[number];

/**
 * The new entry at a changed path. A file's content follows, its first chunk in the same frame, the rest in `data`
 * frames.
 */
export type AfterHead =
  | { readonly kind: 'file'; readonly mode: '644' | '755'; readonly size: number }
  | { readonly kind: 'dir' }
  | { readonly kind: 'symlink'; readonly target: string };

/** The state of a session's shell at the end of a turn: at its prompt, with a running command, or ended. */
export const SHELL_STATES = ['idle', 'running', 'gone'] as const;
export type ShellState = (typeof SHELL_STATES)[number];
/** Why a turn did nothing: a command while another one runs, or input while none does. */
export const TURN_REFUSALS = ['busy', 'idle'] as const;
export type TurnRefusal = (typeof TURN_REFUSALS)[number];
/** Conflicting paths in one answer; further ones are left out. */
export const CONFLICTS_MAX = 16;

/** The most addresses that a hello names; further ones are not tried. */
export const REFUSED_AT_MAX = 8;
/** An address in its longest form, with a port. */
const ADDRESS_CHARACTERS_MAX = 64;

/**
 * The agent's report about the usage of its container since the first file or order arrived. `outOfMemory` is null
 * while the command runs, and where the system has no such counter.
 */
export interface ReportedUsage {
  readonly type: 'usage';
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  readonly outOfMemory: boolean | null;
}

/**
 * Messages from the agent to the adapter.
 *
 * For a job, in this order: hello; output in one sequence over both streams; exit; changes with their data; end. A
 * fault ends the job at any point. Channel messages occur between the job's start and its exit. An agent that reports
 * usage does so at any point, and a last time before an exit or a turn's end.
 *
 * For a shell: hello; for each turn output (`stdout` only, numbered from 0), turned, changes with their data, end; for
 * each check checked.
 */
export type AgentMessage =
  | { readonly type: 'hello'; readonly agent: string; readonly refusedAt?: readonly string[] }
  | { readonly type: 'stdout' | 'stderr'; readonly sequence: number; readonly bytes: Buffer }
  | {
      readonly type: 'exit';
      readonly code: number | null;
      readonly signal: string | null;
      readonly timedOut: boolean;
      readonly droppedBytes: number;
    }
  | { readonly type: 'change'; readonly path: string; readonly after: AfterHead | null; readonly bytes: Buffer }
  | { readonly type: 'data'; readonly bytes: Buffer }
  | { readonly type: 'end'; readonly changes: number }
  | { readonly type: 'fault'; readonly reason: FaultReason; readonly detail: string }
  | {
      readonly type: 'turned';
      readonly turn: number;
      readonly state: ShellState;
      readonly refused: TurnRefusal | null;
      readonly code: number | null;
      readonly droppedBytes: number;
    }
  | { readonly type: 'checked'; readonly conflicts: readonly string[] }
  | ReportedUsage
  | ChannelMessage;

/** The bytes of one message. Throws FrameError when a part of it is larger than its frame permits. */
export function encodeAgentMessage(message: AgentMessage): Buffer {
  switch (message.type) {
    case 'hello':
      return encodeHello(message);
    case 'stdout':
    case 'stderr': {
      const sequence = Buffer.allocUnsafe(4);
      sequence.writeUInt32BE(message.sequence);
      return encodeFrame(AGENT_FRAMES[message.type], sequence, message.bytes);
    }
    case 'exit':
      return encodeExit(message);
    case 'change':
      return encodeFrame(AGENT_FRAMES.change, prefixMeta({ path: message.path, after: message.after }), message.bytes);
    case 'data':
      return encodeFrame(AGENT_FRAMES.data, message.bytes);
    case 'end':
      return encodeFrame(AGENT_FRAMES.end, encodeMeta({ changes: message.changes }));
    case 'fault':
      return encodeFrame(AGENT_FRAMES.fault, encodeMeta({ reason: message.reason, detail: message.detail }));
    case 'turned':
      return encodeTurned(message);
    case 'checked':
      return encodeFrame(AGENT_FRAMES.checked, encodeMeta({ conflicts: message.conflicts }));
    case 'usage':
      return encodeUsage(message);
    default:
      return encodeAgentChannel(message);
  }
}

type Of<Type extends AgentMessage['type']> = Extract<AgentMessage, { readonly type: Type }>;

const encodeHello = ({ agent, refusedAt }: Of<'hello'>): Buffer =>
  encodeFrame(AGENT_FRAMES.hello, encodeMeta({ agent, ...(refusedAt === undefined ? {} : { refused_at: refusedAt }) }));

const encodeExit = ({ code, signal, timedOut, droppedBytes }: Of<'exit'>): Buffer =>
  encodeFrame(AGENT_FRAMES.exit, encodeMeta({ code, signal, timed_out: timedOut, dropped_bytes: droppedBytes }));

const encodeTurned = ({ turn, state, refused, code, droppedBytes }: Of<'turned'>): Buffer =>
  encodeFrame(AGENT_FRAMES.turned, encodeMeta({ turn, state, refused, code, dropped_bytes: droppedBytes }));

const encodeUsage = ({ cpuMs, memoryPeakBytes, outOfMemory }: ReportedUsage): Buffer =>
  encodeFrame(
    AGENT_FRAMES.usage,
    encodeMeta({ cpu_ms: cpuMs, memory_peak_bytes: memoryPeakBytes, out_of_memory: outOfMemory }),
  );

/** Parses a frame on the adapter's side: attacker-controlled. Throws FrameError. */
export function parseAgentMessage({ type, payload }: Frame<typeof AGENT_FRAMES>): AgentMessage {
  if (isChannelFrame(type)) return parseChannel(type, payload);
  switch (type) {
    case 'hello':
      return parseHello(parseMeta(payload));
    case 'stdout':
    case 'stderr':
      // An empty chunk would cost the reader time without counting against any bound.
      if (payload.length < 5) throw new FrameError('a chunk of output is empty');
      return { type, sequence: payload.readUInt32BE(0), bytes: payload.subarray(4) };
    case 'exit':
      return parseExit(parseMeta(payload));
    case 'change': {
      const { fields, bytes } = splitMeta(payload);
      return parseChange(fields, bytes);
    }
    case 'data':
      if (payload.length === 0) throw new FrameError('a chunk of content is empty');
      return { type, bytes: payload };
    case 'end':
      return { type, changes: countOf(parseMeta(payload), 'changes') };
    case 'fault': {
      const fields = parseMeta(payload);
      return { type, reason: oneOf(fields, 'reason', FAULT_REASONS), detail: textOf(fields, 'detail', 8192) };
    }
    case 'turned':
      return parseTurned(parseMeta(payload));
    case 'checked':
      return { type, conflicts: listOf(parseMeta(payload), 'conflicts', CONFLICTS_MAX).map(parsePath) };
    case 'usage':
      return parseUsage(parseMeta(payload));
  }
}

function parseHello(fields: Meta): AgentMessage {
  const agent = textOf(fields, 'agent', 128);
  return isNull(fields, 'refused_at')
    ? { type: 'hello', agent }
    : { type: 'hello', agent, refusedAt: listOf(fields, 'refused_at', REFUSED_AT_MAX).map(parseAddress) };
}

/** Parses `IP:port` as a text only: an attempt to connect shows whether it is valid. Throws FrameError. */
export function parseAddress(value: unknown): string {
  if (typeof value !== 'string' || value.length > ADDRESS_CHARACTERS_MAX)
    throw new FrameError('an address is no text, or too long');
  return value;
}

function parseUsage(fields: Meta): AgentMessage {
  return {
    type: 'usage',
    cpuMs: countOf(fields, 'cpu_ms'),
    memoryPeakBytes: countOf(fields, 'memory_peak_bytes'),
    outOfMemory: isNull(fields, 'out_of_memory') ? null : flagOf(fields, 'out_of_memory'),
  };
}

function parseTurned(fields: Meta): AgentMessage {
  return {
    type: 'turned',
    turn: countOf(fields, 'turn'),
    state: oneOf(fields, 'state', SHELL_STATES),
    refused: isNull(fields, 'refused') ? null : oneOf(fields, 'refused', TURN_REFUSALS),
    code: isNull(fields, 'code') ? null : countOf(fields, 'code', 255),
    droppedBytes: countOf(fields, 'dropped_bytes'),
  };
}

function parsePath(value: unknown): string {
  if (typeof value !== 'string' || pathFault(value) !== null) throw new FrameError('what conflicts is no path');
  return value;
}

function parseExit(fields: Meta): AgentMessage {
  const signal = isNull(fields, 'signal') ? null : textOf(fields, 'signal', 16);
  if (signal !== null && !/^SIG[A-Z0-9]{1,12}$/.test(signal)) throw new FrameError('`signal` names no signal');
  const code = isNull(fields, 'code') ? null : countOf(fields, 'code', 255);
  if ((code === null) === (signal === null)) throw new FrameError('a command ends by a status or by a signal');
  return {
    type: 'exit',
    code,
    signal,
    timedOut: flagOf(fields, 'timed_out'),
    droppedBytes: countOf(fields, 'dropped_bytes'),
  };
}

function parseChange(fields: Meta, bytes: Buffer): AgentMessage {
  const path = textOf(fields, 'path', 4096);
  if (pathFault(path) !== null) throw new FrameError(`a changed path ${pathFault(path)}`);
  const after = isNull(fields, 'after') ? null : parseAfter(fields['after']);
  const size = after?.kind === 'file' ? after.size : 0;
  if (bytes.length > size) throw new FrameError('a change carries more than it announces');
  if (size > 0 && bytes.length === 0) throw new FrameError('a changed file starts without content');
  return { type: 'change', path, after, bytes };
}

function parseAfter(value: unknown): AfterHead {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FrameError('`after` is not an object');
  const fields = value as Meta;
  const kind = oneOf(fields, 'kind', ['file', 'dir', 'symlink']);
  if (kind === 'dir') return { kind };
  if (kind === 'file') return { kind, mode: oneOf(fields, 'mode', ['644', '755']), size: countOf(fields, 'size') };
  const target = textOf(fields, 'target', 4096);
  if (targetFault(target) !== null) throw new FrameError(`a link's target ${targetFault(target)}`);
  return { kind, target };
}
