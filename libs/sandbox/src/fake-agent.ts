// SPDX-License-Identifier: Apache-2.0
import { Channels } from './channels.ts';
import { isChannelMessage } from './channel-message.ts';
import { encodeAgentMessage, type AfterHead, type AgentMessage } from './agent-message.ts';
import { CHUNK_BYTES_MAX } from './frame.ts';
import type { FakeEnd, FakeWorld } from './fake-program.ts';
import type { HostMessage, JobOrder } from './host-message.ts';
import { parentsOf } from './path.ts';
import type { SandboxEntry } from './sandbox.ts';

const NONE = Buffer.alloc(0);

/** The container's side of the protocol, over a map of files. */
export class FakeAgent {
  readonly #send: (bytes: Buffer) => void;
  readonly #channels = new Channels({ send: (message) => this.#emit(message) });
  readonly #files = new Map<string, SandboxEntry>();
  #before: ReadonlyMap<string, SandboxEntry> = new Map();
  #open = '';
  #order: JobOrder | null = null;
  #stdin = NONE;
  #sequence = 0;
  #sentBytes = 0;
  #droppedBytes = 0;

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send;
  }

  get world(): FakeWorld {
    const order = this.#ordered();
    return {
      files: this.#files,
      cwd: order.cwd,
      env: order.env,
      stdin: this.#stdin,
      stdio: order.stdio === true ? this.#channels.open() : null,
      out: (text) => this.#output('stdout', Buffer.from(text)),
      err: (text) => this.#output('stderr', Buffer.from(text)),
      connect: () => (order.proxy ? this.#channels.open() : null),
    };
  }

  receive(message: HostMessage): void {
    if (isChannelMessage(message)) this.#channels.receive(message);
    else if (message.type === 'file') this.#put(message.head.path, message);
    else if (message.type === 'data') this.#append(message.bytes);
    else if (message.type === 'stdin') this.#stdin = Buffer.concat([this.#stdin, message.bytes]);
    else if (message.type === 'job') {
      this.#order = message.job;
      this.#before = new Map(this.#files);
    }
  }

  /** Ends its connections, as a container that is killed does. */
  kill(): void {
    this.#channels.close();
  }

  exit(end: Exclude<FakeEnd, { ended: unknown }>): void {
    const code = typeof end === 'number' ? end : null;
    const signal = typeof end === 'object' ? end.signal : null;
    const timedOut = end === 'never';
    this.#channels.close();
    this.#emit({
      type: 'exit',
      code,
      signal: timedOut ? 'SIGKILL' : signal,
      timedOut,
      droppedBytes: this.#droppedBytes,
    });
    if (!timedOut) this.#sendBack();
  }

  #put(path: string, { head, bytes }: Extract<HostMessage, { type: 'file' }>): void {
    this.#open = path;
    if (head.kind === 'file') this.#files.set(path, { path, kind: 'file', mode: head.mode, bytes });
    else if (head.kind === 'dir') this.#files.set(path, { path, kind: 'dir', mode: null });
    else this.#files.set(path, { path, kind: 'symlink', mode: null, target: head.target });
  }

  #append(bytes: Buffer): void {
    const file = this.#files.get(this.#open);
    if (file?.kind === 'file') this.#files.set(this.#open, { ...file, bytes: Buffer.concat([file.bytes, bytes]) });
  }

  #output(type: 'stdout' | 'stderr', bytes: Buffer): void {
    const passed = bytes.subarray(0, this.#ordered().output_bytes_max - this.#sentBytes);
    for (let at = 0; at < passed.length; at += CHUNK_BYTES_MAX) {
      this.#emit({ type, sequence: this.#sequence++, bytes: passed.subarray(at, at + CHUNK_BYTES_MAX) });
    }
    this.#sentBytes += passed.length;
    this.#droppedBytes += bytes.length - passed.length;
  }

  #sendBack(): void {
    const { delta_bytes_max, delta_files_max } = this.#ordered();
    const [before, after] = [withParents(this.#before), withParents(this.#files)];
    const changed = [...after.values()].filter((entry) => !isSame(before.get(entry.path), entry));
    const deleted = [...before.keys()].filter((path) => !after.has(path));
    const bytes = changed.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.bytes.length : 0), 0);
    const count = changed.length + deleted.length;
    if (count > delta_files_max)
      return this.#emit({ type: 'fault', reason: 'delta_files', detail: 'too many entries changed' });
    if (bytes > delta_bytes_max)
      return this.#emit({ type: 'fault', reason: 'delta_bytes', detail: 'changed files are too large' });
    for (const entry of changed) this.#sendChange(entry);
    for (const path of deleted) this.#emit({ type: 'change', path, after: null, bytes: NONE });
    this.#emit({ type: 'end', changes: count });
  }

  #sendChange(entry: SandboxEntry): void {
    const content = entry.kind === 'file' ? Buffer.from(entry.bytes) : NONE;
    const after: AfterHead = entry.kind === 'file' ? { kind: 'file', mode: entry.mode, size: content.length } : entry;
    this.#emit({ type: 'change', path: entry.path, after, bytes: content.subarray(0, CHUNK_BYTES_MAX) });
    for (let at = CHUNK_BYTES_MAX; at < content.length; at += CHUNK_BYTES_MAX)
      this.#emit({ type: 'data', bytes: content.subarray(at, at + CHUNK_BYTES_MAX) });
  }

  #ordered(): JobOrder {
    if (!this.#order) throw new Error('no job was ordered');
    return this.#order;
  }

  #emit(message: AgentMessage): void {
    this.#send(encodeAgentMessage(message));
  }
}

function withParents(files: ReadonlyMap<string, SandboxEntry>): Map<string, SandboxEntry> {
  const all = new Map(files);
  for (const path of [...files.keys()].flatMap(parentsOf))
    if (!all.has(path)) all.set(path, { path, kind: 'dir', mode: null });
  return all;
}

function isSame(a: SandboxEntry | undefined, b: SandboxEntry): boolean {
  if (a?.kind === 'file' && b.kind === 'file') return a.mode === b.mode && Buffer.compare(a.bytes, b.bytes) === 0;
  if (a?.kind === 'symlink' && b.kind === 'symlink') return a.target === b.target;
  return a?.kind === b.kind;
}
