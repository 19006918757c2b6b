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

/** Arguments of one program: the limit of definitions, and far below the kernel's. */
export const ARGUMENTS_MAX = 4096;

/** The job for the agent to run; its fields are those of the frame. */
export interface JobOrder {
  readonly command: string;
  /** a program and its arguments, instead of `command`; absent: `command` is set */
  readonly argv?: readonly string[];
  readonly cwd: string;
  readonly timeout_ms: number;
  readonly env: Readonly<Record<string, string>>;
  /** whether the job reads the content of the `stdin` frames; else it reads an empty stream */
  readonly stdin: boolean;
  readonly output_bytes_max: number;
  readonly delta_bytes_max: number;
  readonly delta_files_max: number;
  /** whether the job has a proxy, each connection to which becomes a channel; absent: it has none */
  readonly proxy?: boolean;
  /** whether the first channel is the job's standard input and output; absent: they are frames */
  readonly stdio?: boolean;
}

/**
 * Messages from the adapter to the agent, in this order:
 * - the canaries, where the agent's arguments don't name them, and a greeting, where the agent was started to wait for
 *   one
 * - for a job: entries with their data, stdin and the job, which starts at once; then the messages of channels
 * - for a shell: the shell, and then the orders of its turns
 */
export type HostMessage =
  | { readonly type: 'file'; readonly head: EntryHead; readonly bytes: Buffer }
  | { readonly type: 'data'; readonly bytes: Buffer }
  | { readonly type: 'job'; readonly job: JobOrder }
  | { readonly type: 'stdin'; readonly bytes: Buffer }
  /**
   * addresses, `IP:port`, that must refuse the container before the agent says hello, in addition to those of its
   * arguments; sent before the greeting or never
   */
  | { readonly type: 'canaries'; readonly refusedAt: readonly string[] }
  /** `key`: 32 bytes with which the agent seals all of its messages from then on */
  | { readonly type: 'greet'; readonly key: Buffer }
  | ShellOrder
  | HostChannelMessage;

/** The bytes of one message. Throws FrameError when a part of it is larger than its frame permits. */
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
 * An entry of the workspace, or more of its content, in consecutive parts. Throws FrameError as `encodeHostMessage`.
 */
export function entryPartsOf(message: Extract<HostMessage, { type: 'file' | 'data' }>): readonly Uint8Array[] {
  return message.type === 'file'
    ? framePartsOf(HOST_FRAMES.file, prefixMeta(message.head), message.bytes)
    : framePartsOf(HOST_FRAMES.data, message.bytes);
}

/** Parses a frame on the agent's side. Throws FrameError. */
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
    ...(isNull(fields, 'stdio') ? {} : { stdio: flagOf(fields, 'stdio') }),
    ...(isNull(fields, 'argv') ? {} : { argv: listOf(fields, 'argv', ARGUMENTS_MAX).map(parseArgument) }),
  };
}
