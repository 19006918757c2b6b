// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Subscription, Work, WorkMessage } from '@writ/bus';
import { AssignedEvent, LANES, parseMessage, type Lane, type Subjects } from '@writ/contract';
import type { Histogram, LabelsOf, Logger, Meter } from '@writ/telemetry';

/** How an attempt ended here. */
type AttemptEnd = Exclude<LabelsOf<'writ.attempt.duration'>['outcome'], 'failed'>;

/** What is done with permits and calls; answers how it ended, for metrics. Rejects when the attempt failed here. */
export interface PermitHandler {
  run(message: WorkMessage, lane: Lane): Promise<AttemptEnd>;
  /** null for what is no order */
  openAssigned(
    event: AssignedEvent,
  ): { readonly lane: Lane; run(since: number): Promise<AttemptEnd>; giveBack(): Promise<void> } | null;
}

export interface TakeOptions {
  readonly executorId: string;
  /** calls at once, by lane */
  readonly slots: Readonly<Record<Lane, number>>;
  /** what secrets of calls that are assigned are sealed to, base64 */
  readonly publicKey: () => Promise<string>;
  /** monotonic milliseconds, as leases are measured by */
  readonly monotonic: () => number;
}

/** The kernel forgets an executor that is silent for three seconds; twice a second survives a lost message or two. */
const ANNOUNCE_MS = 500;

/** Many times what a message takes to the kernel and back. */
const LAST_ASSIGNED_MS = 100;
/** Enough that no two lives of one executor have the same. */
const LIFE_BYTES = 8;

/**
 * Takes permits off the lanes, and calls that are assigned to it, while there are free slots, and tells the kernel how
 * many there are.
 */
export class Take {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #perform: PermitHandler;
  readonly #logger: Logger;
  readonly #options: TakeOptions;
  readonly #running: Record<Lane, number> = { inline: 0, sandboxed: 0, broker: 0 };
  readonly #seconds: Histogram<'writ.attempt.duration'>;
  readonly #lanes = new Map<Lane, Work>();
  #assigned: Subscription | undefined;
  #announcing: NodeJS.Timeout | undefined;
  #isStopping = false;
  #publicKey = '';
  /**
   * what this process says of itself in its marks: a call that was assigned to an earlier life of the same name isn't
   * for it
   */
  readonly #life = randomBytes(LIFE_BYTES).toString('hex');

  constructor(
    bus: Bus,
    subjects: Subjects,
    perform: PermitHandler,
    logger: Logger,
    meter: Meter,
    options: TakeOptions,
  ) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#perform = perform;
    this.#logger = logger;
    this.#options = options;
    this.#seconds = meter.histogram('writ.attempt.duration');
    meter.observe(['writ.executor.slots'], (observe) => {
      for (const lane of LANES) {
        observe('writ.executor.slots', this.#running[lane], { lane, state: 'used' });
        observe('writ.executor.slots', this.#free(lane), { lane, state: 'free' });
      }
    });
  }

  async start(): Promise<void> {
    this.#publicKey = await this.#options.publicKey();
    this.#assigned = await this.#bus.subscribe(
      this.#subjects.event('assigned', this.#options.executorId),
      ({ payload }) => this.#takeAssigned(parseMessage(AssignedEvent, payload)),
    );
    for (const lane of LANES) {
      this.#lanes.set(
        lane,
        await this.#bus.work(this.#subjects.work(lane), {
          durable: lane,
          slots: () => this.#free(lane),
          handler: (message) => this.#take(message, lane),
        }),
      );
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
    // What was assigned before the kernel heard that is given back, where it would otherwise wait for its lease.
    await Promise.all([sleep(LAST_ASSIGNED_MS), ...[...this.#lanes.values()].map((work) => work.close())]);
    await this.#assigned?.close();
  }

  #free(lane: Lane): number {
    return this.#isStopping ? 0 : Math.max(0, this.#options.slots[lane] - this.#running[lane]);
  }

  async #take(message: WorkMessage, lane: Lane): Promise<void> {
    await this.#within(lane, () => this.#perform.run(message, lane));
  }

  async #takeAssigned(event: AssignedEvent): Promise<void> {
    const call = this.#perform.openAssigned(event);
    if (call === null)
      return this.#logger.error(
        {},
        'a call was assigned that is no order: its permit does not verify, was here before, or has something else beside it; it was left alone',
      );
    const since = this.#sinceOf(event.mark);
    // More than there is room for: another kernel went by the same word.
    if (since === null || this.#free(call.lane) === 0) return await call.giveBack();
    await this.#within(call.lane, () => call.run(since));
    this.#lanes.get(call.lane)?.freed();
  }

  async #within(lane: Lane, run: () => Promise<AttemptEnd>): Promise<void> {
    const started = performance.now();
    this.#running[lane] += 1;
    let outcome: AttemptEnd | 'failed' = 'failed';
    try {
      outcome = await run();
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

  /**
   * INVARIANT (never longer than the kernel's): a lease that is begun on this word counts from when it was said, as one
   * that is asked for counts from the asking.
   */
  #markNow(): string {
    return `${this.#life}.${String(Math.floor(this.#options.monotonic()))}`;
  }

  #sinceOf(mark: string): number | null {
    const [life, at = ''] = mark.split('.');
    return life === this.#life && /^\d{1,15}$/.test(at) && Number(at) <= this.#options.monotonic() ? Number(at) : null;
  }

  #announce(): void {
    try {
      this.#bus.publish(this.#subjects.event('slots', '_'), {
        v: 1,
        executor_id: this.#options.executorId,
        inline: this.#free('inline'),
        sandboxed: this.#free('sandboxed'),
        broker: this.#free('broker'),
        assignable: { public_key: this.#publicKey, mark: this.#markNow() },
      });
    } catch (error) {
      this.#logger.debug({ err: error }, 'the kernel could not be told of free slots');
    }
  }
}
