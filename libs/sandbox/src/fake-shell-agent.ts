// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { encodeAgentMessage, type AfterHead, type AgentMessage, type TurnRefusal } from './agent-message.ts';
import { isChannelMessage } from './channel-message.ts';
import { Channels } from './channels.ts';
import { stateOf } from './encode-entries.ts';
import type { FakeShellProgram, FakeShellWorld } from './fake-shell-program.ts';
import type { HostMessage } from './host-message.ts';
import type { EntryHead } from './entry-head.ts';
import { parentsOf } from './path.ts';
import type { SandboxEntry } from './sandbox.ts';
import type { CheckedPath, TurnOrder } from './shell-message.ts';

const NONE = Buffer.alloc(0);
/** The shell's statuses for a command that it can't find, and for one that the interrupt key ended. */
const NOT_FOUND = 127;
const INTERRUPTED = 130;

/** The container's side of a shell's protocol, over a map of files. */
export class FakeShellAgent {
  readonly files = new Map<string, SandboxEntry>();
  readonly #programs: Readonly<Record<string, FakeShellProgram>>;
  readonly #send: (bytes: Buffer) => void;
  readonly #vars = new Map<string, string>();
  #reported = new Map<string, SandboxEntry>();
  #open = '';
  #checks: CheckedPath[] = [];
  #output = '';
  #runs: ((input: string) => number | null) | null = null;
  #exited: number | null = null;
  #hasProxy = false;
  /** the connections of the turn that runs; null between turns */
  #channels: Channels | null = null;

  constructor(programs: Readonly<Record<string, FakeShellProgram>>, send: (bytes: Buffer) => void) {
    this.#programs = programs;
    this.#send = send;
  }

  receive(message: HostMessage): void {
    // A message of an earlier turn's connection, sent before its end arrived.
    if (isChannelMessage(message)) return this.#channels?.receive(message);
    switch (message.type) {
      case 'file':
        return this.#put(message.head, message.bytes);
      case 'data':
        return this.#append(message.bytes);
      case 'shell':
        this.#hasProxy = message.proxy === true;
        this.#reported = withParents(this.files);
        return;
      case 'turn':
        return this.#turn(message.order);
      case 'check':
        return this.#check(message.paths, message.last);
      case 'patch':
        return this.#patch(message.path, message.after, message.bytes);
      default:
        throw new Error(`a shell takes no \`${message.type}\``);
    }
  }

  #turn(order: TurnOrder): void {
    const { command, variables = {}, input, ctrl } = order;
    if (this.#hasProxy) this.#channels = new Channels({ send: (message) => this.#emit(message) });
    const busy = this.#runs !== null;
    const refused = command !== null && busy ? 'busy' : input !== null && !busy ? 'idle' : null;
    let code: number | Promise<number> | null = null;
    if (refused === null && command !== null) code = this.#run(command, variables);
    if (refused === null && this.#runs !== null && input !== null) code = this.#report(input);
    if (this.#runs !== null && ctrl === 'c') {
      this.#runs = null;
      code = INTERRUPTED;
    }
    if (code instanceof Promise) void code.then((ended) => this.#end(order, refused, ended));
    else this.#end(order, refused, code);
  }

  #end({ turn, output_bytes_max }: TurnOrder, refused: TurnRefusal | null, code: number | null): void {
    this.#channels?.close();
    this.#channels = null;
    const all = Buffer.from(this.#output);
    this.#output = '';
    const passed = all.subarray(0, output_bytes_max);
    if (passed.length > 0) this.#emit({ type: 'stdout', sequence: 0, bytes: passed });
    const state = this.#exited !== null ? 'gone' : this.#runs !== null ? 'running' : 'idle';
    this.#emit({
      type: 'turned',
      turn,
      state,
      refused,
      code: this.#exited ?? code,
      droppedBytes: all.length - passed.length,
    });
    this.#sendBack(state !== 'running' && refused === null);
  }

  #run(command: string, variables: Readonly<Record<string, string>>): number | Promise<number> | null {
    for (const [name, value] of Object.entries(variables)) this.#vars.set(name, value);
    const world: FakeShellWorld = {
      files: this.files,
      vars: this.#vars,
      out: (text) => {
        this.#output += text;
      },
      connect: () => this.#channels?.open() ?? null,
    };
    const end = (this.#programs[command] ?? notFound)(world);
    for (const name of Object.keys(variables)) this.#vars.delete(name);
    if (typeof end === 'number' || end instanceof Promise) return end;
    if ('exit' in end) this.#exited = end.exit;
    else this.#runs = end.runs;
    return null;
  }

  #report(input: string): number | null {
    const code = this.#runs?.(input) ?? null;
    if (code !== null) this.#runs = null;
    return code;
  }

  #sendBack(mayDiffer: boolean): void {
    const now = withParents(this.files);
    const changed = mayDiffer
      ? [...now.values()].filter((entry) => !isSame(this.#reported.get(entry.path), entry))
      : [];
    const deleted = mayDiffer ? [...this.#reported.keys()].filter((path) => !now.has(path)) : [];
    for (const entry of changed) {
      const bytes = entry.kind === 'file' ? Buffer.from(entry.bytes) : NONE;
      const after: AfterHead = entry.kind === 'file' ? { kind: 'file', mode: entry.mode, size: bytes.length } : entry;
      this.#emit({ type: 'change', path: entry.path, after, bytes });
    }
    for (const path of deleted) this.#emit({ type: 'change', path, after: null, bytes: NONE });
    if (mayDiffer) this.#reported = now;
    this.#emit({ type: 'end', changes: changed.length + deleted.length });
  }

  #check(paths: readonly CheckedPath[], last: boolean): void {
    this.#checks.push(...paths);
    if (!last) return;
    const now = withParents(this.files);
    const conflicts = this.#checks
      .map(({ path }) => path)
      .filter((path) => !isSame(this.#reported.get(path), now.get(path)));
    this.#checks = [];
    this.#emit({ type: 'checked', conflicts: conflicts.slice(0, 16) });
  }

  #patch(path: string, after: EntryHead | null, bytes: Buffer): void {
    if (after === null) this.files.delete(path);
    else this.#put(after, bytes);
    this.#reported = withParents(this.files);
  }

  #put(head: EntryHead, bytes: Buffer): void {
    const { path } = head;
    this.#open = path;
    if (head.kind === 'file') this.files.set(path, { path, kind: 'file', mode: head.mode, bytes });
    else if (head.kind === 'dir') this.files.set(path, { path, kind: 'dir', mode: null });
    else this.files.set(path, { path, kind: 'symlink', mode: null, target: head.target });
  }

  #append(bytes: Buffer): void {
    const file = this.files.get(this.#open);
    if (file?.kind === 'file') this.files.set(this.#open, { ...file, bytes: Buffer.concat([file.bytes, bytes]) });
    this.#reported = withParents(this.files);
  }

  #emit(message: AgentMessage): void {
    this.#send(encodeAgentMessage(message));
  }
}

function notFound({ out }: FakeShellWorld): number {
  out('command not found\r\n');
  return NOT_FOUND;
}

function withParents(files: ReadonlyMap<string, SandboxEntry>): Map<string, SandboxEntry> {
  const all = new Map(files);
  for (const path of [...files.keys()].flatMap(parentsOf))
    if (!all.has(path)) all.set(path, { path, kind: 'dir', mode: null });
  return all;
}

const digestOf = (entry: SandboxEntry): string =>
  createHash('sha256')
    .update(JSON.stringify(stateOf(entry)))
    .digest('hex');
const isSame = (a: SandboxEntry | undefined, b: SandboxEntry | undefined): boolean =>
  a && b ? digestOf(a) === digestOf(b) : a === b;
