// SPDX-License-Identifier: Apache-2.0
/**
 * The messages of an agent about one job, each of them checked. The job may send messages in the agent's place, so
 * their form is checked here: order, bounds, and a delta that is valid for the files that were sent in.
 *
 * INVARIANT (bounded): at most `outputBytes` of output and `deltaBytes` in `deltaFiles` of changes are kept. More
 * output than `tapBytes` is a forgery.
 */
import { createHash } from 'node:crypto';
import type { FileState } from '@writ/contract';
import type { AfterHead, AgentMessage } from './agent-message.ts';
import type { ChannelMessage } from './channel-message.ts';
import type { EntryTree } from './entry-tree.ts';
import { FrameError } from './frame.ts';
import { comparePaths, parentOf } from './path.ts';
import {
  tapBytesOf,
  type SandboxAfter,
  type SandboxChange,
  type SandboxEnd,
  type SandboxLimits,
  type SandboxOutput,
  type SandboxReason,
} from './sandbox.ts';

/** A message of an agent about its job, channel messages excluded. */
export type TranscriptMessage = Exclude<AgentMessage, ChannelMessage>;

type Bounds = Pick<SandboxLimits, 'outputBytes' | 'tapBytes' | 'deltaBytes' | 'deltaFiles'>;

/** How the agent reports the end; only the host can know `killed` and `lost`. */
export interface TranscriptEnd {
  readonly ended: Extract<SandboxEnd, 'exited' | 'timeout' | 'limit' | 'invalid'>;
  readonly reason: SandboxReason | null;
  readonly detail: string | null;
}

const LIMIT_REASONS: ReadonlySet<string> = new Set(['delta_bytes', 'delta_files', 'workspace_space']);

export class Transcript {
  readonly #sent: EntryTree;
  readonly #bounds: Bounds;
  readonly #output: { stream: 'stdout' | 'stderr'; parts: Buffer[] }[] = [];
  readonly #changes = new Map<string, SandboxChange>();
  #outputBytes = 0;
  #lineEnds = 0;
  #endsInLine = false;
  #deltaBytes = 0;
  #sequence = 0;
  #open: { bytes: Buffer; filled: number } | null = null;
  #exit: Extract<AgentMessage, { type: 'exit' }> | null = null;
  #turned: Extract<AgentMessage, { type: 'turned' }> | null = null;
  #end: TranscriptEnd | null = null;

  constructor(sent: EntryTree, bounds: Bounds) {
    this.#sent = sent;
    this.#bounds = bounds;
  }

  /** Null until the agent has reported the job's end. */
  get end(): TranscriptEnd | null {
    return this.#end;
  }

  /** The command's exit, once reported. */
  get exit(): { readonly code: number | null; readonly signal: string | null } | null {
    return this.#exit;
  }

  /** Bytes of output that the agent dropped, by its own count. */
  get droppedBytes(): number {
    return this.#exit?.droppedBytes ?? this.#turned?.droppedBytes ?? 0;
  }

  /** How a turn of a shell ended, once reported. */
  get turned(): Extract<AgentMessage, { type: 'turned' }> | null {
    return this.#turned;
  }

  /** Bytes of output that arrived, shown or not. */
  get outputBytes(): number {
    return this.#outputBytes;
  }

  /** Lines of all output; null where the agent dropped some of it, since nobody counted those. */
  get outputLines(): number | null {
    return this.droppedBytes > 0 ? null : this.#lineEnds + (this.#endsInLine ? 1 : 0);
  }

  /** Bytes of output that aren't shown. */
  get truncatedBytes(): number {
    return Math.max(0, this.#outputBytes - this.#bounds.outputBytes) + this.droppedBytes;
  }

  get output(): SandboxOutput[] {
    return this.#output.map(({ stream, parts }) => ({ stream, bytes: Buffer.concat(parts) }));
  }

  /** Empty unless the job ended as `exited`: no other end leaves an effect. */
  get changes(): SandboxChange[] {
    if (this.#end?.ended !== 'exited') return [];
    return [...this.#changes.values()].sort((a, b) => comparePaths(a.path, b.path));
  }

  /** Processes the next message. Throws FrameError when it is invalid here; the job's messages are then worthless. */
  accept(message: TranscriptMessage): void {
    if (this.#end) throw new FrameError('the agent speaks after its end');
    switch (message.type) {
      case 'hello':
        throw new FrameError('the agent says hello twice');
      case 'stdout':
      case 'stderr':
        return this.#acceptOutput(message);
      case 'exit':
        return this.#acceptExit(message);
      case 'change':
        return this.#acceptChange(message);
      case 'data':
        return this.#acceptData(message.bytes);
      case 'end':
        return this.#acceptEnd(message.changes);
      case 'fault':
        return this.#acceptFault(message);
      case 'turned':
        return this.#acceptTurned(message);
      case 'checked':
        throw new FrameError('an answer comes without its question');
      case 'usage':
        throw new FrameError('the agent tells usage that nobody asked for');
    }
  }

  #acceptOutput({ type, sequence, bytes }: Extract<AgentMessage, { type: 'stdout' | 'stderr' }>): void {
    if (this.#isOver) throw new FrameError('output comes after the exit');
    if (sequence !== this.#sequence) throw new FrameError('output is out of sequence');
    this.#sequence++;
    const shown = bytes.subarray(0, Math.max(0, this.#bounds.outputBytes - this.#outputBytes));
    this.#outputBytes += bytes.length;
    // The agent cuts output itself, so more than the bound is a forgery and not a verbose job.
    if (this.#outputBytes > tapBytesOf(this.#bounds)) throw new FrameError('output exceeds its bound');
    this.#lineEnds += lineEndsIn(bytes);
    if (bytes.length > 0) this.#endsInLine = bytes.at(-1) !== LINE_END;
    if (shown.length === 0) return;
    const last = this.#output.at(-1);
    if (last?.stream === type) last.parts.push(shown);
    else this.#output.push({ stream: type, parts: [shown] });
  }

  #acceptExit(message: Extract<AgentMessage, { type: 'exit' }>): void {
    if (this.#isOver) throw new FrameError('the command exits twice');
    this.#exit = message;
    if (message.timedOut) this.#end = { ended: 'timeout', reason: 'wall', detail: null };
  }

  #acceptTurned(message: Extract<AgentMessage, { type: 'turned' }>): void {
    if (this.#isOver) throw new FrameError('a turn ends twice');
    this.#turned = message;
  }

  get #isOver(): boolean {
    return this.#exit !== null || this.#turned !== null;
  }

  #acceptChange({ path, after, bytes }: Extract<AgentMessage, { type: 'change' }>): void {
    if (!this.#isOver || this.#open) throw new FrameError('a change comes out of turn');
    if (this.#changes.has(path)) throw new FrameError('a path changes twice');
    const before = this.#sent.at(path);
    if (!before && !after) throw new FrameError('a path is deleted that was never there');
    this.#deltaBytes += sizeOf(after);
    if (this.#changes.size + 1 > this.#bounds.deltaFiles)
      return this.#stop('delta_files', `more than ${this.#bounds.deltaFiles} entries changed`);
    if (this.#deltaBytes > this.#bounds.deltaBytes)
      return this.#stop('delta_bytes', `changed files hold more than ${this.#bounds.deltaBytes} bytes`);
    this.#changes.set(path, { path, before, after: after && this.#openAfter(after, bytes) });
  }

  /** Memory for a file is allocated when it is announced, and the announced sizes have been counted. */
  #openAfter(after: AfterHead, bytes: Buffer): SandboxAfter {
    if (after.kind === 'dir') return { kind: 'dir', mode: null };
    if (after.kind === 'symlink') return { kind: 'symlink', mode: null, target: after.target };
    const content = bytes.length === after.size ? bytes : Buffer.allocUnsafe(after.size);
    if (content !== bytes) {
      content.set(bytes);
      this.#open = { bytes: content, filled: bytes.length };
    }
    return { kind: 'file', mode: after.mode, bytes: content };
  }

  #acceptData(bytes: Buffer): void {
    if (!this.#open) throw new FrameError('content comes without a file');
    if (this.#open.filled + bytes.length > this.#open.bytes.length)
      throw new FrameError('a file is longer than announced');
    this.#open.bytes.set(bytes, this.#open.filled);
    this.#open.filled += bytes.length;
    if (this.#open.filled === this.#open.bytes.length) this.#open = null;
  }

  #acceptEnd(changes: number): void {
    if (!this.#isOver || this.#open) throw new FrameError('the end comes out of turn');
    if (changes !== this.#changes.size) throw new FrameError('changes are missing');
    this.#assertValidTree();
    this.#end = { ended: 'exited', reason: null, detail: null };
  }

  /** A delta of well-formed paths may still contain a file below a file; such a workspace is invalid. */
  #assertValidTree(): void {
    const kindAt = (path: string) => (this.#changes.get(path) ?? { after: this.#sent.at(path) }).after?.kind ?? null;
    const gone = new Set<string>();
    for (const { path, before, after } of this.#changes.values()) {
      const parent = parentOf(path);
      if (after && parent !== '' && kindAt(parent) !== 'dir')
        throw new FrameError('a changed path is below what is no directory');
      if (before?.kind === 'dir' && after?.kind !== 'dir') gone.add(path);
    }
    if (gone.size === 0) return;
    for (const path of this.#sent.paths()) {
      if (gone.has(parentOf(path)) && kindAt(path) !== null)
        throw new FrameError('a directory is gone and what was in it is not');
    }
  }

  #acceptFault({ reason, detail }: Extract<AgentMessage, { type: 'fault' }>): void {
    this.#stop(reason, printable(detail));
  }

  #stop(reason: SandboxReason, detail: string): void {
    this.#changes.clear();
    this.#open = null;
    this.#end = { ended: LIMIT_REASONS.has(reason) ? 'limit' : 'invalid', reason, detail };
  }
}

const LINE_END = 0x0a;

/** A message has some kilobytes, so counting them doesn't keep others waiting. */
function lineEndsIn(bytes: Uint8Array): number {
  let ends = 0;
  for (const byte of bytes) if (byte === LINE_END) ends += 1;
  return ends;
}

function sizeOf(after: AfterHead | null): number {
  if (after?.kind === 'symlink') return Buffer.byteLength(after.target);
  return after?.kind === 'file' ? after.size : 0;
}

/** A text from inside, made safe for an operator's terminal: no control or direction characters, and not long. */
function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, 512);
}

/** The entry at a path after a job, in the form of deltas. */
export function stateOfAfter(after: SandboxAfter): FileState {
  const size =
    after.kind === 'file' ? after.bytes.length : after.kind === 'symlink' ? Buffer.byteLength(after.target) : 0;
  return { kind: after.kind, mode: after.mode, sha256: hashOfAfter(after), size };
}

/** SHA-256 of the entry at a path after a job, in the form of deltas: null for a directory. */
export function hashOfAfter(after: SandboxAfter): string | null {
  if (after.kind === 'dir') return null;
  return createHash('sha256')
    .update(after.kind === 'file' ? after.bytes : after.target)
    .digest('hex');
}
