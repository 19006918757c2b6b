// SPDX-License-Identifier: Apache-2.0
import type { Bus, Subscription, WorkMessage } from '@writ/bus';
import { LANES, type Lane, type Subjects } from '@writ/contract';
import type { Logger, Meter } from '@writ/telemetry';

/** What is done with a permit; answers how it ended, for metrics. Rejects when the attempt failed here. */
export interface PermitHandler {
  run(message: WorkMessage, lane: Lane): Promise<string>;
}

export interface TakeOptions {
  readonly executorId: string;
  /** calls at once, by lane */
  readonly slots: Readonly<Record<Lane, number>>;
}

/** The kernel forgets an executor that is silent for three seconds; twice a second survives a lost message or two. */
const ANNOUNCE_MS = 500;

/** Takes permits off the lanes while there are free slots, and tells the kernel how many there are. */
export class Take {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #perform: PermitHandler;
  readonly #logger: Logger;
  readonly #options: TakeOptions;
  readonly #running: Record<Lane, number> = { inline: 0, sandboxed: 0, broker: 0 };
  readonly #seconds: ReturnType<Meter['createHistogram']>;
  #subscriptions: Subscription[] = [];
  #announcing: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(bus: Bus, subjects: Subjects, perform: PermitHandler, logger: Logger, meter: Meter, options: TakeOptions) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#perform = perform;
    this.#logger = logger;
    this.#options = options;
    this.#seconds = meter.createHistogram('writ_attempt_seconds', { description: 'time from a permit\'s arrival to the end of its attempt' });
    meter.createObservableGauge('writ_attempts_running', { description: 'attempts under way' }).addCallback((result) => {
      for (const lane of LANES) result.observe(this.#running[lane], { lane });
    });
  }

  async start(): Promise<void> {
    for (const lane of LANES) {
      this.#subscriptions.push(await this.#bus.work(this.#subjects.work(lane), {
        durable: lane, slots: () => this.#free(lane), handler: (message) => this.#take(message, lane),
      }));
    }
    this.#announce();
    this.#announcing = setInterval(() => this.#announce(), ANNOUNCE_MS);
    this.#announcing.unref();
  }

  /** Takes nothing new; resolves when what runs has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#announcing);
    this.#isStopping = true;
    // Otherwise calls are dispatched for slots that nobody has, and wait for their permits to expire.
    this.#announce();
    const subscriptions = this.#subscriptions.splice(0);
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  }

  #free(lane: Lane): number {
    return this.#isStopping ? 0 : Math.max(0, this.#options.slots[lane] - this.#running[lane]);
  }

  async #take(message: WorkMessage, lane: Lane): Promise<void> {
    const started = performance.now();
    this.#running[lane] += 1;
    let outcome = 'failed';
    try {
      outcome = await this.#perform.run(message, lane);
    } catch (error) {
      // The attempt ends without a report: its lease decides. The message was acked or will come again.
      this.#logger.error({ err: error, lane }, 'an attempt failed here');
    } finally {
      const wasFull = this.#free(lane) === 0;
      this.#running[lane] -= 1;
      this.#seconds.record((performance.now() - started) / 1_000, { lane, outcome });
      if (wasFull) this.#announce();
    }
  }

  #announce(): void {
    try {
      this.#bus.publish(this.#subjects.event('slots', '_'), { v: 1, executor_id: this.#options.executorId, inline: this.#free('inline'), sandboxed: this.#free('sandboxed'), broker: this.#free('broker') });
    } catch (error) {
      this.#logger.debug({ err: error }, 'the kernel could not be told of free slots');
    }
  }
}
