// SPDX-License-Identifier: Apache-2.0
import {
  CHUNK_BYTES_MAX,
  FrameError,
  type AfterHead,
  type AgentMessage,
  type HostMessage,
  type ShellState,
  type TurnOrder,
  type TurnRefusal,
} from '@writ/sandbox';
import type { Baseline, BaselineEntry } from '../baseline.ts';
import { AgentFault } from '../fault.ts';
import { OutputCut } from '../output-cut.ts';
import type { Place } from '../perform.ts';
import { Patcher } from './patcher.ts';
import { survey } from './survey.ts';
import { TerminalShell } from './terminal-shell.ts';

/** What comes between two turns and is kept for the next, in bytes: as much as a turn shows by itself. */
const BETWEEN_BYTES_MAX = 256 * 1024;
/** A shell that a signal ended has no status of its own. */
const ENDED_BY_SIGNAL = 128;

interface Turn {
  readonly order: TurnOrder;
  readonly output: OutputCut;
  readonly refused: TurnRefusal | null;
  readonly end: () => void;
}

/** A shell that outlives its commands: speaks only in answer to a turn or a check. */
export class Session {
  readonly #place: Place;
  readonly #speak: (message: AgentMessage) => void;
  readonly #told: Map<string, BaselineEntry>;
  readonly #patcher: Patcher;
  readonly #shell: TerminalShell;
  #between: Buffer[] = [];
  #betweenBytes = 0;
  #betweenDropped = 0;
  #turn: Turn | null = null;
  #status: number | null = null;
  #exited: number | null = null;

  constructor(
    place: Place,
    baseline: Baseline,
    { env, cols, rows }: Extract<HostMessage, { type: 'shell' }>,
    nonce: string,
    speak: (message: AgentMessage) => void,
  ) {
    this.#place = place;
    this.#speak = speak;
    this.#told = new Map(baseline);
    this.#patcher = new Patcher(place.root, this.#told);
    this.#shell = new TerminalShell(place, { env, size: { cols, rows } }, nonce, {
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
   * Takes the adapter's next message. Throws FrameError when it can't stand here, AgentFault when it can't be done.
   * `fault` is told what goes wrong later.
   */
  take(message: HostMessage, fault: (error: unknown) => void): void {
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
        if (conflicts) this.#speak({ type: 'checked', conflicts });
        return;
      }
      default:
        throw new FrameError('a container has one shell');
    }
  }

  #begin(order: TurnOrder, fault: (error: unknown) => void): void {
    const output = new OutputCut(order.output_bytes_max, this.#speak);
    for (const bytes of this.#between) output.take('stdout', bytes);
    output.drop(this.#betweenDropped);
    [this.#between, this.#betweenBytes, this.#betweenDropped, this.#status] = [[], 0, 0, null];
    const busy = this.#shell.isBusy;
    const refused = order.command !== null && busy ? 'busy' : order.input !== null && !busy ? 'idle' : null;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), order.yield_ms);
    this.#turn = { order, output, refused, end: () => resolve(undefined) };
    if (order.cols !== null && order.rows !== null) this.#shell.resize(order.cols, order.rows);
    if (refused === null && this.#exited === null) this.#ask(order, busy);
    if (refused !== null || this.#exited !== null || !this.#shell.isBusy) resolve(undefined);
    void promise.then(() => {
      clearTimeout(timer);
      this.#end(fault);
    });
  }

  #ask({ command, variables, input, ctrl }: TurnOrder, busy: boolean): void {
    if (command !== null) this.#shell.run(command, variables);
    if (input !== null) this.#shell.type(input);
    // At the prompt there is nobody to interrupt, and what is typed now would be read by the next program.
    if (ctrl !== null && busy) this.#shell.press(ctrl);
  }

  #end(fault: (error: unknown) => void): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = null;
    const state: ShellState = this.#exited !== null ? 'gone' : this.#shell.isBusy ? 'running' : 'idle';
    const { turn: number } = turn.order;
    this.#speak({
      type: 'turned',
      turn: number,
      state,
      refused: turn.refused,
      code: this.#exited ?? this.#status,
      droppedBytes: turn.output.droppedBytes,
    });
    try {
      this.#speak({
        type: 'end',
        changes: state === 'running' || turn.refused !== null ? 0 : this.#sendBack(turn.order),
      });
    } catch (error) {
      fault(error);
    }
  }

  /** Tells what differs, and takes it for told; answers how much. */
  #sendBack({ delta_files_max, delta_bytes_max }: TurnOrder): number {
    const found: [string, BaselineEntry | null][] = [];
    for (const { path, now, content } of survey(this.#place.root, this.#told, {
      changesMax: delta_files_max,
      bytesMax: delta_bytes_max,
    })) {
      this.#speak({ type: 'change', path, after: afterOf(now), bytes: content.subarray(0, CHUNK_BYTES_MAX) });
      for (let at = CHUNK_BYTES_MAX; at < content.length; at += CHUNK_BYTES_MAX)
        this.#speak({ type: 'data', bytes: content.subarray(at, at + CHUNK_BYTES_MAX) });
      found.push([path, now]);
    }
    for (const [path, now] of found) {
      if (now === null) this.#told.delete(path);
      else this.#told.set(path, now);
    }
    return found.length;
  }

  #output(bytes: Buffer): void {
    if (this.#turn) return this.#turn.output.take('stdout', bytes);
    const kept = Buffer.from(bytes.subarray(0, BETWEEN_BYTES_MAX - this.#betweenBytes));
    if (kept.length > 0) this.#between.push(kept);
    this.#betweenBytes += kept.length;
    this.#betweenDropped += bytes.length - kept.length;
  }
}

function afterOf(now: BaselineEntry | null): AfterHead | null {
  if (now === null || now.kind === 'dir') return now;
  return now.kind === 'symlink'
    ? { kind: 'symlink', target: now.target }
    : { kind: 'file', mode: now.mode, size: now.size };
}

/** That the image lacks what a shell needs is told before anything is made. */
export function verifyTerminal(hasScript: boolean): void {
  if (!hasScript) throw new AgentFault('shell', 'the image has no `script` (util-linux), which makes terminals');
}
