// SPDX-License-Identifier: Apache-2.0
//
// Sessions at mailboxes. INVARIANT (a thread reads): what a server sends is read by a thread, within limits of time and
// memory. The event loop, which serves all tenants, only passes bytes on.
import type { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '@writ/contract';
import { ConnectionRelay, MailboxError, type SessionDone } from '@writ/mailbox';
import type { TaskOptions, TaskRunner } from '@writ/worker-pool';
import type { MailSessionTasks } from '../calls/mail-tasks.ts';

/** A session ends itself in its time. This is for a thread that does not. */
const GRACE_MS = 5_000;

export interface SessionOfCall {
  readonly tenantId: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called before a message is sent. When it rejects, nothing is stored, and the session rejects with the same. */
  readonly beforeStoring?: () => Promise<void>;
}

/** How far a session that stores a message has come. */
interface Progress {
  mayHaveStored: boolean;
  /** what `beforeStoring` rejected with */
  refusal: { readonly error: unknown } | null;
}

/** Runs each session in a thread of its own pool, whose threads wait for servers and delay no computation. */
export class MailSessions {
  readonly #pool: TaskRunner<MailSessionTasks>;

  constructor(pool: TaskRunner<MailSessionTasks>) {
    this.#pool = pool;
  }

  /**
   * Runs a session over the connection, and closes the connection in any case.
   *
   * @param start runs one of the tasks with this port and these options
   * @throws MailboxError, and what `beforeStoring` rejected with
   */
  async run<T>(
    connection: Duplex,
    { tenantId, signal, timeoutMs, beforeStoring }: SessionOfCall,
    start: (pool: TaskRunner<MailSessionTasks>, port: MessagePort, options: TaskOptions) => Promise<SessionDone<T>>,
  ): Promise<T> {
    const overrun = new AbortController();
    const progress: Progress = { mayHaveStored: false, refusal: null };
    const relay = new ConnectionRelay(connection, {
      onAnnounce: () => mayStore(beforeStoring, progress),
      onOverrun: () => overrun.abort(),
    });
    const { port } = relay;
    try {
      const done = await start(this.#pool, port, {
        tenantId,
        wallMs: timeoutMs + GRACE_MS,
        signal: AbortSignal.any([signal, overrun.signal]),
        transfer: [port],
      });
      if ('value' in done) return done.value;
      if (progress.refusal !== null) throw progress.refusal.error;
      const { reason, message, mayHaveStored } = done.failed;
      throw new MailboxError(reason, message, { mayHaveStored });
    } catch (error) {
      if (progress.refusal !== null) throw progress.refusal.error;
      throw failureOf(error, signal, overrun.signal, progress);
    } finally {
      relay.close();
    }
  }
}

async function mayStore(beforeStoring: SessionOfCall['beforeStoring'], progress: Progress): Promise<boolean> {
  try {
    await beforeStoring?.();
    progress.mayHaveStored = true;
    return true;
  } catch (error) {
    progress.refusal = { error };
    return false;
  }
}

/** Of a thread that was ended nobody knows what it had sent since the announcement. */
function failureOf(error: unknown, ended: AbortSignal, overrun: AbortSignal, { mayHaveStored }: Progress): unknown {
  if (error instanceof MailboxError) return error;
  if (ended.aborted) return new MailboxError('timeout', 'the server did not answer in time', { mayHaveStored });
  if (overrun.aborted || (error instanceof Fault && error.code === 'limit.exceeded'))
    return new MailboxError('too_large', "reading the server's answers takes more time or memory than is allowed", {
      mayHaveStored,
    });
  return mayHaveStored
    ? new MailboxError('unreachable', 'the session ended early', { mayHaveStored, cause: error })
    : error;
}
