// SPDX-License-Identifier: Apache-2.0
import type { Bus, Subscription, WorkMessage } from '@writ/bus';
import { parseMessage, SessionPermit, type Lane, type Subjects } from '@writ/contract';
import type { Logger } from '@writ/telemetry';

/**
 * Calls of sessions under way at once: they mostly wait. A permit beyond that number is left to expire, and its call is
 * dispatched again.
 */
const CALLS_MAX = 64;

/** Handles a permit. Rejects when the attempt failed here. */
interface PermitHandler {
  run(message: WorkMessage, lane: Lane): Promise<unknown>;
}

/** Receives permits that are sent to this executor alone, since it has the shell of their session. */
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
      // Nobody waits for an answer: a permit that nobody redeems reveals a silent executor.
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
        .catch((error: unknown) => this.#logger.error({ err: error }, 'an attempt in a session failed here'))
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    });
  }

  /** Takes nothing new; resolves when what runs has ended. */
  async stop(): Promise<void> {
    await this.#subscription?.close();
    await Promise.all(this.#running);
  }
}
