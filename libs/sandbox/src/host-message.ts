// SPDX-License-Identifier: Apache-2.0
import { parseAddress, REFUSED_AT_MAX } from './agent-message.ts';
import { encodeHostChannel, isChannelFrame, parseChannel, type HostChannelMessage } from './channel-message.ts';
import { encodeFrame, framePartsOf, FrameError, HOST_FRAMES, type Frame } from './frame.ts';
import {
  countOf,
  encodeMeta,
  isNull,
  listOf,
  oneOf,
  parseMeta,
  prefixMeta,
  splitMeta,
  textOf,
  textsOf,
  flagOf,
  type Meta,
} from './meta.ts';
import { pathFault, targetFault } from './path.ts';
import { encodeShellOrder, parseShellOrder, type ShellOrder } from './shell-message.ts';
import type { EntryHead } from './entry-head.ts';

/** Arguments of one program; as many as any definition has, and far below what the kernel takes. */
export const ARGUMENTS_MAX = 4096;

/** What the agent is to run; the names are those of the frame. */
export interface JobOrder {
  readonly command: string;
  /** a program and its arguments, in the place of `command`; absent: there is a command */
  readonly argv?: readonly string[];
  readonly cwd: string;
  readonly timeout_ms: number;
  readonly env: Readonly<Record<string, string>>;
  /** whether the job reads what `stdin` frames brought; else it reads an empty stream */
  readonly stdin: boolean;
  readonly output_bytes_max: number;
  readonly delta_bytes_max: number;
  readonly delta_files_max: number;
  /** whether the job finds a proxy: each connection to it becomes a channel; absent: it doesn't */
  readonly proxy?: boolean;
}

/**
 * From the adapter to the agent, in this order: canaries, where its arguments don't name them, and a greeting, where
 * the agent was started to wait for one; entries with their data, then stdin and one job, which starts at once, and
 * from then on what channels carry; or one shell, and what is asked of it turn by turn.
 */
export type HostMessage =
  | { readonly type: 'file'; readonly head: EntryHead; readonly bytes: Buffer }
  | { readonly type: 'data'; readonly bytes: Buffer }
  | { readonly type: 'job'; readonly job: JobOrder }
  | { readonly type: 'stdin'; readonly bytes: Buffer }
  /**
   * addresses, `IP:port`, that must refuse the container before the agent says hello, beside those of its arguments;
   * before the greeting or never
   */
  | { readonly type: 'canaries'; readonly refusedAt: readonly string[] }
  /** `key`: 32 bytes; all that the agent says from then on is sealed by it */
  | { readonly type: 'greet'; readonly key: Buffer }
  | ShellOrder
  | HostChannelMessage;

/** Bytes of one message. Throws FrameError when something in it is larger than its frame. */
export function encodeHostMessage(message: HostMessage): Buffer {
  switch (message.type) {
    case 'file':
    case 'data':
      return Buffer.concat(entryPartsOf(message));
    case 'job':
      return encodeFrame(HOST_FRAMES.job, encodeMeta(message.job));
    case 'stdin':
      return encodeFrame(HOST_FRAMES.stdin, message.bytes);
    case 'greet':
      return encodeFrame(HOST_FRAMES.greet, message.key);
    case 'canaries':
      return encodeFrame(HOST_FRAMES.canaries, encodeMeta({ refused_at: message.refusedAt }));
    case 'shell':
    case 'turn':
    case 'check':
    case 'patch':
      return encodeShellOrder(message);
    default:
      return encodeHostChannel(message);
  }
}

/**
 * An entry of the workspace, or more of its content, in parts that follow each other. Throws FrameError as
 * `encodeHostMessage`.
 */
export function entryPartsOf(message: Extract<HostMessage, { type: 'file' | 'data' }>): readonly Uint8Array[] {
  return message.type === 'file'
    ? framePartsOf(HOST_FRAMES.file, prefixMeta(message.head), message.bytes)
    : framePartsOf(HOST_FRAMES.data, message.bytes);
}

/** Reads a frame on the agent's side. Throws FrameError. */
export function parseHostMessage({ type, payload }: Frame<typeof HOST_FRAMES>): HostMessage {
  if (isChannelFrame(type)) return parseChannel(type, payload) as HostChannelMessage;
  switch (type) {
    case 'file': {
      const { fields, bytes } = splitMeta(payload);
      return { type, head: parseHead(fields), bytes };
    }
    case 'data':
      return { type, bytes: payload };
    case 'job':
      return { type, job: parseOrder(parseMeta(payload)) };
    case 'stdin':
      return { type, bytes: payload };
    case 'greet':
      return { type, key: payload };
    case 'canaries':
      return { type, refusedAt: listOf(parseMeta(payload), 'refused_at', REFUSED_AT_MAX).map(parseAddress) };
    default:
      return parseShellOrder(type, payload);
  }
}

function parseHead(fields: Meta): EntryHead {
  const path = textOf(fields, 'path', 4096);
  const kind = oneOf(fields, 'kind', ['file', 'dir', 'symlink']);
  if (pathFault(path) !== null) throw new FrameError(`a path ${pathFault(path)}`);
  if (kind === 'dir') return { kind, path };
  if (kind === 'symlink') {
    const target = textOf(fields, 'target', 4096);
    if (targetFault(target) !== null) throw new FrameError(`a link's target ${targetFault(target)}`);
    return { kind, path, target };
  }
  return {
    kind,
    path,
    mode: oneOf(fields, 'mode', ['644', '755']),
    size: countOf(fields, 'size'),
    sha256: textOf(fields, 'sha256', 64),
  };
}

function parseArgument(value: unknown): string {
  if (typeof value !== 'string' || value.includes('\0')) throw new FrameError('an argument is no text');
  return value;
}

function parseOrder(fields: Meta): JobOrder {
  return {
    command: textOf(fields, 'command', HOST_FRAMES.job.bytesMax),
    cwd: textOf(fields, 'cwd', 4096),
    timeout_ms: countOf(fields, 'timeout_ms'),
    env: textsOf(fields, 'env'),
    stdin: flagOf(fields, 'stdin'),
    output_bytes_max: countOf(fields, 'output_bytes_max'),
    delta_bytes_max: countOf(fields, 'delta_bytes_max'),
    delta_files_max: countOf(fields, 'delta_files_max'),
    ...(isNull(fields, 'proxy') ? {} : { proxy: flagOf(fields, 'proxy') }),
    ...(isNull(fields, 'argv') ? {} : { argv: listOf(fields, 'argv', ARGUMENTS_MAX).map(parseArgument) }),
  };
}
