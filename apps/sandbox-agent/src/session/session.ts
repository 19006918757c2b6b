// SPDX-License-Identifier: Apache-2.0
import {
  CHUNK_BYTES_MAX,
  FrameError,
  isChannelMessage,
  type AfterHead,
  type AgentMessage,
  type HostMessage,
  type ShellState,
  type TurnOrder,
  type TurnRefusal,
} from '@writ/sandbox';
import type { Baseline, BaselineEntry } from '../baseline.ts';
import { AgentFault } from '../fault.ts';
import { BoundedOutput } from '../bounded-output.ts';
import type { JobEnvironment } from '../perform.ts';
import type { Proxy } from '../proxy.ts';
import { Patcher } from './patcher.ts';
import { surveyChanges } from './survey-changes.ts';
import { TerminalShell } from './terminal-shell.ts';

/** Bytes of output between two turns that are kept for the next turn: as much as a turn shows by itself. */
const BETWEEN_BYTES_MAX = 256 * 1024;
/** The reported status of a shell that a signal ended, which has no status of its own. */
const ENDED_BY_SIGNAL = 128;

interface Turn {
  readonly order: TurnOrder;
  readonly output: BoundedOutput;
  readonly refused: TurnRefusal | null;
  readonly end: () => void;
}

interface SessionParts {
  readonly environment: JobEnvironment;
  readonly baseline: Baseline;
  readonly shell: Extract<HostMessage, { type: 'shell' }>;
  readonly nonce: string;
  /** null: the shell has none. MUST NOT have begun */
  readonly proxy: Proxy | null;
  readonly send: (message: AgentMessage) => void;
}

/** A shell that outlives its commands. It sends messages only in answer to a turn or a check. */
export class Session {
  readonly #environment: JobEnvironment;
  readonly #send: (message: AgentMessage) => void;
  readonly #proxy: Proxy | null;
  readonly #reported: Map<string, BaselineEntry>;
  readonly #patcher: Patcher;
  readonly #shell: TerminalShell;
  #pendingOutput: Buffer[] = [];
  #pendingBytes = 0;
  #droppedBytes = 0;
  #turn: Turn | null = null;
  #status: number | null = null;
  #exited: number | null = null;

  constructor({ environment, baseline, shell: { env, cols, rows }, nonce, proxy, send }: SessionParts) {
    this.#environment = environment;
    this.#send = send;
    this.#proxy = proxy;
    this.#reported = new Map(baseline);
    this.#patcher = new Patcher(environment.root, this.#reported);
    const options = { env: { ...proxy?.env, ...env }, size: { cols, rows } };
    this.#shell = new TerminalShell(environment, options, nonce, {
      output: (bytes) => this.#output(bytes),
      prompt: (status) => {
        this.#status = status;
        this.#turn?.end();
      },
      gone: (code) => {
        this.#exited = code ?? ENDED_BY_SIGNAL;
        this.#turn?.end();
      },
    });
  }

  /**
   * Handles the adapter's next message. Throws FrameError for a message that is not allowed now, AgentFault when it
   * can't be done. `fault` receives later failures.
   */
  handle(message: HostMessage, fault: (error: unknown) => void): void {
    if (isChannelMessage(message)) return this.#proxy?.handle(message);
    if (this.#turn) throw new FrameError('a turn is under way');
    switch (message.type) {
      case 'turn':
        return this.#begin(message.order, fault);
      case 'patch':
        return this.#patcher.apply(message.path, message.after, message.bytes);
      case 'data':
        return this.#patcher.data(message.bytes);
      case 'check': {
        const conflicts = this.#patcher.check(message.paths, message.last);
        if (conflicts) this.#send({ type: 'checked', conflicts });
        return;
      }
      default:
        throw new FrameError('a container has one shell');
    }
  }

  #begin(order: TurnOrder, fault: (error: unknown) => void): void {
    const output = new BoundedOutput(order.output_bytes_max, this.#send);
    for (const bytes of this.#pendingOutput) output.push('stdout', bytes);
    output.addDropped(this.#droppedBytes);
    [this.#pendingOutput, this.#pendingBytes, this.#droppedBytes, this.#status] = [[], 0, 0, null];
    const busy = this.#shell.isBusy;
    const refused = order.command !== null && busy ? 'busy' : order.input !== null && !busy ? 'idle' : null;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), order.yield_ms);
    this.#turn = { order, output, refused, end: () => resolve(undefined) };
    this.#proxy?.begin();
    if (order.cols !== null && order.rows !== null) this.#shell.resize(order.cols, order.rows);
    if (refused === null && this.#exited === null) this.#actOn(order, busy);
    if (refused !== null || this.#exited !== null || !this.#shell.isBusy) resolve(undefined);
    void promise.then(() => {
      clearTimeout(timer);
      this.#end(fault);
    });
  }

  #actOn({ command, variables, input, ctrl }: TurnOrder, busy: boolean): void {
    if (command !== null) this.#shell.run(command, variables);
    if (input !== null) this.#shell.typeText(input);
    // At the prompt there is no program to interrupt, and the next program would read a key that is pressed now.
    if (ctrl !== null && busy) this.#shell.pressKey(ctrl);
  }

  #end(fault: (error: unknown) => void): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = null;
    // The call is over: what connects until the next one reaches nothing.
    this.#proxy?.cut();
    const state: ShellState = this.#exited !== null ? 'gone' : this.#shell.isBusy ? 'running' : 'idle';
    const { turn: number } = turn.order;
    this.#send({
      type: 'turned',
      turn: number,
      state,
      refused: turn.refused,
      code: this.#exited ?? this.#status,
      droppedBytes: turn.output.droppedBytes,
    });
    try {
      this.#send({
        type: 'end',
        changes: state === 'running' || turn.refused !== null ? 0 : this.#sendDifferences(turn.order),
      });
    } catch (error) {
      fault(error);
    }
  }

  /** Sends the differences and records them as reported; returns their number. */
  #sendDifferences({ delta_files_max, delta_bytes_max }: TurnOrder): number {
    const found: [string, BaselineEntry | null][] = [];
    for (const { path, now, content } of surveyChanges(this.#environment.root, this.#reported, {
      changesMax: delta_files_max,
      bytesMax: delta_bytes_max,
    })) {
      this.#send({ type: 'change', path, after: afterOf(now), bytes: content.subarray(0, CHUNK_BYTES_MAX) });
      for (let at = CHUNK_BYTES_MAX; at < content.length; at += CHUNK_BYTES_MAX)
        this.#send({ type: 'data', bytes: content.subarray(at, at + CHUNK_BYTES_MAX) });
      found.push([path, now]);
    }
    for (const [path, now] of found) {
      if (now === null) this.#reported.delete(path);
      else this.#reported.set(path, now);
    }
    return found.length;
  }

  #output(bytes: Buffer): void {
    if (this.#turn) return this.#turn.output.push('stdout', bytes);
    const kept = Buffer.from(bytes.subarray(0, BETWEEN_BYTES_MAX - this.#pendingBytes));
    if (kept.length > 0) this.#pendingOutput.push(kept);
    this.#pendingBytes += kept.length;
    this.#droppedBytes += bytes.length - kept.length;
  }
}

function afterOf(now: BaselineEntry | null): AfterHead | null {
  if (now === null || now.kind === 'dir') return now;
  return now.kind === 'symlink'
    ? { kind: 'symlink', target: now.target }
    : { kind: 'file', mode: now.mode, size: now.size };
}

/** Reports an image without `script` before anything is started. */
export function verifyTerminal(hasScript: boolean): void {
  if (!hasScript) throw new AgentFault('shell', 'the image has no `script` (util-linux), which makes terminals');
}
