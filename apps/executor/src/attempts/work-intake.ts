// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Subscription, WorkSubscription, WorkMessage } from '@writ/bus';
import { AssignedEvent, LANES, parseMessage, REDEMPTION_MEMBERS, type Lane, type Subjects } from '@writ/contract';
import type { Histogram, LabelsOf, Logger, Meter } from '@writ/telemetry';

/** How an attempt ended in this executor. */
type AttemptEnd = Exclude<LabelsOf<'writ.attempt.duration'>['outcome'], 'failed'>;

/**
 * Runs permits and assigned calls. Resolves with how the attempt ended, for metrics; rejects when the attempt failed in
 * this process.
 */
export interface PermitHandler {
  run(message: WorkMessage, lane: Lane): Promise<AttemptEnd>;
  /** null for an event that orders nothing */
  openAssigned(
    event: AssignedEvent,
  ): { readonly lane: Lane; run(since: number): Promise<AttemptEnd>; release(): Promise<void> } | null;
}

export interface WorkIntakeOptions {
  readonly executorId: string;
  /** concurrent calls, by lane */
  readonly slots: Readonly<Record<Lane, number>>;
  /** the public key that secrets of assigned calls are sealed to, base64 */
  readonly publicKey: () => Promise<string>;
  /** monotonic milliseconds, on the clock that measures leases */
  readonly monotonic: () => number;
}

/**
 * The kernel forgets an executor that is silent for three seconds. Two announcements a second allow for a lost message
 * or two.
 */
const ANNOUNCE_MS = 500;

/** Many times the round trip of a message to the kernel. */
const ASSIGNMENT_GRACE_MS = 100;
/** Enough random bytes that no two incarnations of one executor have the same id. */
const INCARNATION_BYTES = 8;

/**
 * Consumes permits of the lanes and assigned calls while slots are free, and announces the free slots to the kernel.
 */
export class WorkIntake {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #perform: PermitHandler;
  readonly #logger: Logger;
  readonly #options: WorkIntakeOptions;
  readonly #running: Record<Lane, number> = { inline: 0, sandboxed: 0, broker: 0 };
  readonly #durations: Histogram<'writ.attempt.duration'>;
  readonly #lanes = new Map<Lane, WorkSubscription>();
  #assigned: Subscription | undefined;
  #announcing: NodeJS.Timeout | undefined;
  #isStopping = false;
  #publicKey = '';
  /**
   * the id of this process in its marks: a call that was assigned to an earlier process with the same executor id is
   * not for this one
   */
  readonly #incarnation = randomBytes(INCARNATION_BYTES).toString('hex');

  constructor(
    bus: Bus,
    subjects: Subjects,
    perform: PermitHandler,
    logger: Logger,
    meter: Meter,
    options: WorkIntakeOptions,
  ) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#perform = perform;
    this.#logger = logger;
    this.#options = options;
    this.#durations = meter.histogram('writ.attempt.duration');
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
      ({ payload }) => this.#runAssigned(parseMessage(AssignedEvent, payload)),
    );
    for (const lane of LANES) {
      this.#lanes.set(
        lane,
        await this.#bus.consume(this.#subjects.work(lane), {
          durable: lane,
          slots: () => this.#free(lane),
          handler: (message) => this.#runPermit(message, lane),
        }),
      );
    }
    this.#announce();
    this.#announcing = setInterval(() => this.#announce(), ANNOUNCE_MS);
    this.#announcing.unref();
  }

  /** Consumes nothing new; resolves when all running calls have ended. */
  async stop(): Promise<void> {
    clearInterval(this.#announcing);
    this.#isStopping = true;
    // Otherwise the kernel dispatches calls for slots that no longer exist, and those calls wait for their permits to
    // expire.
    this.#announce();
    // Calls that the kernel assigned before it received the announcement are released. Otherwise they would wait for
    // their leases to expire.
    await Promise.all([sleep(ASSIGNMENT_GRACE_MS), ...[...this.#lanes.values()].map((work) => work.close())]);
    await this.#assigned?.close();
  }

  #free(lane: Lane): number {
    return this.#isStopping ? 0 : Math.max(0, this.#options.slots[lane] - this.#running[lane]);
  }

  async #runPermit(message: WorkMessage, lane: Lane): Promise<void> {
    await this.#runInSlot(lane, () => this.#perform.run(message, lane));
  }

  async #runAssigned(event: AssignedEvent): Promise<void> {
    const call = this.#perform.openAssigned(event);
    if (call === null)
      return this.#logger.error(
        {},
        'ignored an assigned call: its permit does not verify, was used before, or does not match its redemption',
      );
    const since = this.#leaseStartOf(event.mark);
    // More calls than free slots: another kernel assigned by the same announcement.
    if (since === null || this.#free(call.lane) === 0) return await call.release();
    await this.#runInSlot(call.lane, () => call.run(since));
    this.#lanes.get(call.lane)?.notifySlotFree();
  }

  async #runInSlot(lane: Lane, run: () => Promise<AttemptEnd>): Promise<void> {
    const started = performance.now();
    this.#running[lane] += 1;
    let outcome: AttemptEnd | 'failed' = 'failed';
    try {
      outcome = await run();
    } catch (error) {
      // The attempt ends without a report and waits for its lease to expire. The message was acknowledged or will be
      // delivered again.
      this.#logger.error({ err: error, lane }, 'an attempt failed in this process');
    } finally {
      const wasFull = this.#free(lane) === 0;
      this.#running[lane] -= 1;
      this.#durations.record((performance.now() - started) / 1_000, { lane, outcome });
      if (wasFull) this.#announce();
    }
  }

  /**
   * INVARIANT (never longer than the kernel's): the lease of an assigned call counts from the announcement with this
   * mark. A requested lease counts from its request in the same way.
   */
  #markNow(): string {
    return `${this.#incarnation}.${String(Math.floor(this.#options.monotonic()))}`;
  }

  #leaseStartOf(mark: string): number | null {
    const [life, at = ''] = mark.split('.');
    return life === this.#incarnation && /^\d{1,15}$/.test(at) && Number(at) <= this.#options.monotonic()
      ? Number(at)
      : null;
  }

  #announce(): void {
    try {
      this.#bus.publish(this.#subjects.event('slots', '_'), {
        v: 1,
        executor_id: this.#options.executorId,
        inline: this.#free('inline'),
        sandboxed: this.#free('sandboxed'),
        broker: this.#free('broker'),
        assignable: { public_key: this.#publicKey, mark: this.#markNow(), knows: [...REDEMPTION_MEMBERS] },
      });
    } catch (error) {
      this.#logger.debug({ err: error }, 'could not announce free slots to the kernel');
    }
  }
}
