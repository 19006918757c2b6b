// SPDX-License-Identifier: Apache-2.0
//
// Sessions at MCP servers. INVARIANT (a thread reads): what a server sends is read by a thread, within limits of time
// and memory. The event loop, which serves all tenants, only passes bytes on.
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '@writ/contract';
import { McpError, RequestRelay, type RelayOptions, type SessionDone } from '@writ/mcp-client';
import type { TaskOptions, TaskRunner } from '@writ/worker-pool';
import type { McpSessionTasks } from '../../calls/mcp-tasks.ts';
import { GateRefusal } from '../../egress/gate-refusal.ts';
import { toCallError } from './mcp-failure.ts';

/** A session ends itself in its time, and says goodbye. This is for a thread that does not. */
const GRACE_MS = 5_000;

export interface McpSession extends Pick<RelayOptions, 'send' | 'mayCall'> {
  readonly tenantId: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs each session in a thread of a pool whose threads wait for servers and delay no computation. */
export class McpSessions {
  readonly #pool: TaskRunner<McpSessionTasks>;

  constructor(pool: TaskRunner<McpSessionTasks>) {
    this.#pool = pool;
  }

  /**
   * Runs a session, and closes its connections in any case.
   *
   * @param start runs one of the tasks with this port and these options
   * @throws McpCallError; GateRefusal and Fault where a request was not allowed to leave
   */
  async run<T>(
    { send, mayCall, tenantId, signal, timeoutMs }: McpSession,
    start: (pool: TaskRunner<McpSessionTasks>, port: MessagePort, options: TaskOptions) => Promise<SessionDone<T>>,
  ): Promise<T> {
    const overrun = new AbortController();
    const relay = new RequestRelay({ send, mayCall, onOverrun: () => overrun.abort() });
    try {
      const done = await start(this.#pool, relay.port, {
        tenantId,
        wallMs: timeoutMs + GRACE_MS,
        signal: AbortSignal.any([signal, overrun.signal]),
        transfer: [relay.port],
      });
      if ('value' in done) return done.value;
      throw new McpError(done.failed.reason, done.failed.message);
    } catch (error) {
      throw failureOf(error, relay, overrun.signal);
    } finally {
      relay.close();
    }
  }
}

/** What kept a request from leaving says more than that there is no answer. */
function failureOf(error: unknown, { failure, hasCalled }: RequestRelay, overrun: AbortSignal): unknown {
  const isBroken = error instanceof McpError && error.reason === 'unreachable';
  const said = isBroken && failure !== null ? ofRequest(failure.error) : error;
  if (said instanceof McpError) return toCallError(said, hasCalled);
  if (overrun.aborted || (error instanceof Fault && error.code === 'limit.exceeded'))
    return toCallError(
      new McpError('too_large', "reading the server's answers takes more time or memory than is allowed"),
      hasCalled,
    );
  return said;
}

/** A request that was not answered says as much as the session does. Whatever else kept it from leaving says more. */
const ofRequest = (error: unknown): unknown =>
  error instanceof GateRefusal && error.code === 'egress.failed'
    ? new McpError('unreachable', error.message, { cause: error })
    : error;
