// SPDX-License-Identifier: Apache-2.0
//
// Sessions with programs. INVARIANT (a thread reads): what a program writes is read by a thread, within limits of time
// and memory. INVARIANT (nothing unclear stays): a process is kept only after a session whose every answer was clear.
// After anything else it is killed, so that no later call meets what an earlier one left under way.
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '@writ/contract';
import { LineRelay, McpError, type LineWork, type McpFailure, type SessionDone } from '@writ/mcp-client';
import type { TaskOptions, TaskRunner } from '@writ/worker-pool';
import type { McpSessionTasks } from '../../../calls/mcp-tasks.ts';
import type { NamedValue } from '../../../redaction/redactor.ts';
import { toCallError } from '../mcp-failure.ts';
import type { KeptProcess, ProcessEnd } from './kept-process.ts';
import { wordsOf } from './last-words.ts';

/** A session ends itself in its time. This is for a thread that does not. */
const GRACE_MS = 5_000;
/** A process whose output has ended ends itself in this time, or is killed. */
const LAST_WORDS_MS = 1_000;

/** Failures that are clear answers to a call: nothing is under way any more. */
const CLEAR: ReadonlySet<McpFailure> = new Set(['refused', 'failed', 'result_invalid']);
/** Those by which no call was made. */
const UNCALLED: ReadonlySet<McpFailure> = new Set(['changed', 'gone']);

export interface ProgramSession {
  readonly tenantId: string;
  readonly signal: AbortSignal;
  /** what is left of its time, which waking or starting its process takes, too */
  readonly timeoutMs: () => number;
  readonly mayCall: boolean;
  /** Announces the call. It rejects where the call must not be written. */
  readonly announce: () => Promise<void>;
  /** secret values that the program has */
  readonly named: readonly NamedValue[];
}

/** What a session needs of the process. */
export interface LineOptions {
  readonly port: MessagePort;
  readonly lines: LineWork;
  /** whether the program speaks the revision 2025-11-25 */
  readonly isLegacy: boolean;
}

/** A process ended before it answered anything, as some do that speak the older revision alone and hear a newer one. */
export class EndedAtStart extends Error {
  readonly end: ProcessEnd;

  constructor(end: ProcessEnd) {
    super('the program ended before it answered');
    this.name = 'EndedAtStart';
    this.end = end;
  }
}

/** Runs sessions in threads of a pool whose threads wait for servers. */
export class ProgramSessions {
  readonly #pool: TaskRunner<McpSessionTasks>;

  constructor(pool: TaskRunner<McpSessionTasks>) {
    this.#pool = pool;
  }

  /**
   * Runs a session. A process that can't be used any more is closed when this settles.
   * @param isLegacy whether a process without an earlier session is asked in the words of the older revision alone
   * @param start runs one of the tasks with these options
   * @throws McpCallError; EndedAtStart; Faults where the call was not allowed to be written
   */
  async run<T>(
    process: KeptProcess,
    session: ProgramSession,
    isLegacy: boolean,
    start: (pool: TaskRunner<McpSessionTasks>, lines: LineOptions, options: TaskOptions) => Promise<SessionDone<T>>,
  ): Promise<T> {
    const { signal, timeoutMs, tenantId, mayCall, announce } = session;
    const overrun = new AbortController();
    process.sessions += 1;
    const { handshake } = process;
    const relay = new LineRelay({ stream: process.stdio, mayCall, announce, onOverrun: () => overrun.abort() });
    let isClear = false;
    try {
      const done = await start(
        this.#pool,
        {
          port: relay.port,
          lines: { session: process.sessions, handshake },
          isLegacy: handshake === null ? isLegacy : handshake.method === 'initialize',
        },
        {
          tenantId,
          wallMs: timeoutMs() + GRACE_MS,
          signal: AbortSignal.any([signal, overrun.signal]),
          transfer: [relay.port],
        },
      );
      process.handshake ??= relay.handshake;
      // Without what it answered first, a process can't be spoken to again.
      isClear = isClearOf(done, session, relay) && process.handshake !== null;
      if ('value' in done && mayCall && !relay.hasCalled)
        throw new McpError('malformed', 'the program answered a call that it was not asked yet');
      if ('value' in done) return done.value;
      throw new McpError(done.failed.reason, done.failed.message);
    } catch (error) {
      if (!isClear) await closed(process);
      throw await failureOf(error, { relay, process, overrun: overrun.signal, session });
    } finally {
      relay.close();
      if (!isClear) await process.close();
    }
  }
}

/**
 * Whether nothing of a session is under way any more: its call was written and taken, and the answer is clear; or the
 * answer is why no call was made. A program that leaves its input unread may act on it later.
 */
function isClearOf(
  done: SessionDone<unknown>,
  { mayCall }: ProgramSession,
  { hasCalled, isDrained }: LineRelay,
): boolean {
  if (!isDrained) return false;
  if (!('value' in done) && UNCALLED.has(done.failed.reason)) return !hasCalled;
  return (hasCalled || !mayCall) && ('value' in done || CLEAR.has(done.failed.reason));
}

/** Lets a process that ends by itself say why, and kills any other. */
async function closed(process: KeptProcess): Promise<void> {
  if (process.stdio.readableEnded || process.stdio.destroyed) {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, LAST_WORDS_MS)));
    await Promise.race([process.ended, over]);
    clearTimeout(timer);
  }
  await process.close();
}

interface Failed {
  readonly relay: LineRelay;
  readonly process: KeptProcess;
  readonly overrun: AbortSignal;
  readonly session: ProgramSession;
}

/** What kept a message from being written says more than that there is no answer. */
async function failureOf(error: unknown, { relay, process, overrun, session }: Failed): Promise<unknown> {
  const { failure, hasCalled, handshake } = relay;
  const isBroken = error instanceof McpError && error.reason === 'unreachable';
  if (isBroken && failure !== null && !(failure.error instanceof McpError)) return failure.error;
  if (isBroken) {
    const end = await process.ended;
    if (!hasCalled && handshake === null && process.handshake === null) return new EndedAtStart(end);
    const message = hasCalled ? 'the program ended while it ran the call' : 'the program ended';
    return toCallError(new McpError('unreachable', `${message}${wordsOf(end, session.named)}`), hasCalled);
  }
  if (error instanceof McpError) return toCallError(error, hasCalled);
  if (overrun.aborted || (error instanceof Fault && error.code === 'limit.exceeded'))
    return toCallError(
      new McpError('too_large', "reading the server's answers takes more time or memory than is allowed"),
      hasCalled,
    );
  return error;
}
