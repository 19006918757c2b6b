// SPDX-License-Identifier: Apache-2.0
import type { Bus, Subscription, WorkMessage } from '@writ/bus';
import { parseMessage, SessionPermit, type Lane, type Subjects } from '@writ/contract';
import type { Logger } from '@writ/telemetry';

/**
 * Concurrent calls of sessions, which mostly wait. A permit beyond this number is ignored and expires, and its call is
 * dispatched again.
 */
const CALLS_MAX = 64;

/** Runs a permit. Rejects when the attempt failed in this process. */
interface PermitHandler {
  run(message: WorkMessage, lane: Lane): Promise<unknown>;
}

/** Receives the permits that the kernel sends to this executor alone, because it has the shell of their session. */
export class PermitSubscription {
  readonly #bus: Bus;
  readonly #subject: string;
  readonly #perform: PermitHandler;
  readonly #logger: Logger;
  readonly #running = new Set<Promise<unknown>>();
  #subscription: Subscription | undefined;

  constructor(bus: Bus, subjects: Subjects, executorId: string, perform: PermitHandler, logger: Logger) {
    this.#bus = bus;
    this.#subject = subjects.event('session', executorId);
    this.#perform = perform;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    this.#subscription = await this.#bus.subscribe(this.#subject, ({ payload, headers }) => {
      if (this.#running.size >= CALLS_MAX) return;
      const { permit } = parseMessage(SessionPermit, payload);
      // No answer is expected: a permit that is not redeemed reveals a silent executor.
      const message: WorkMessage = {
        bytes: Buffer.from(JSON.stringify(permit)),
        headers,
        delivery: 1,
        ack: () => undefined,
        nak: () => undefined,
        term: () => undefined,
      };
      const run = this.#perform
        .run(message, 'sandboxed')
        .catch((error: unknown) => this.#logger.error({ err: error }, 'an attempt of a session failed in this process'))
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    });
  }

  /** Accepts nothing new; resolves when all running calls have ended. */
  async stop(): Promise<void> {
    await this.#subscription?.close();
    await Promise.all(this.#running);
  }
}
