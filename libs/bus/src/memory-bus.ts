// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import {
  Bus,
  type BusHeaders,
  type BusMessage,
  type RequestOptions,
  type RingOptions,
  type ServeOptions,
  type Subscription,
  type Work,
  type WorkOptions,
} from './bus.ts';
import { requestHeaders, verifyTimeLeft } from './deadline.ts';
import { encodePayload, parsePayload, parseReply } from './envelope.ts';
import { MemoryLane } from './memory-lane.ts';
import { Serving, type Surroundings } from './serving.ts';
import { isSubjectMatch } from './subject-match.ts';
import { noTrace } from './trace-hooks.ts';
import { UnderWay } from './under-way.ts';

export type MemoryBusOptions = Pick<Surroundings, 'now'> & Partial<Surroundings>;

interface Responder {
  readonly subject: string;
  readonly serving: Serving;
}

interface Listener {
  readonly pattern: string;
  readonly underWay: UnderWay;
  readonly handler: (message: BusMessage) => void | Promise<void>;
}

/** A bus within one process, for tests: payloads pass through the same bytes and the same checks as on a real one. */
export class MemoryBus extends Bus {
  readonly #with: Surroundings;
  readonly #responders: Responder[] = [];
  readonly #listeners: Listener[] = [];
  readonly #lanes = new Map<string, MemoryLane>();
  #isOpen = true;

  constructor(options: MemoryBusOptions) {
    super();
    this.#with = { now: options.now, trace: options.trace ?? noTrace, report: options.report ?? (() => {}) };
  }

  override async request(subject: string, payload: unknown, options: RequestOptions): Promise<unknown> {
    const left = verifyTimeLeft(options.deadline, this.#with.now());
    this.#verifyOpen();
    const bytes = encodePayload(payload);
    const headers = this.#headers(requestHeaders(options.headers, options.deadline));
    const responder = this.#responders.find((candidate) => candidate.subject === subject);
    if (responder === undefined) throw new Fault('bus.unreachable', `nobody answers \`${subject}\``);
    // Replicas take turns.
    this.#responders.push(...this.#responders.splice(this.#responders.indexOf(responder), 1));
    return parseReply(await within(left, responder.serving.answer(subject, bytes, headers)));
  }

  override async serve(subject: string, options: ServeOptions): Promise<Subscription> {
    this.#verifyOpen();
    const responder: Responder = { subject, serving: new Serving(options, this.#with) };
    this.#responders.push(responder);
    return { close: () => take(this.#responders, responder)?.serving.idle() ?? responder.serving.idle() };
  }

  override publish(subject: string, payload: unknown, headers: BusHeaders = {}): void {
    this.#publish(subject, payload, headers);
  }

  override async reach(subject: string, payload: unknown): Promise<boolean> {
    return this.#publish(subject, payload, {}) > 0;
  }

  #publish(subject: string, payload: unknown, headers: BusHeaders): number {
    this.#verifyOpen();
    const bytes = encodePayload(payload);
    const sent = this.#headers(headers);
    const listeners = this.#listeners.filter((listener) => isSubjectMatch(listener.pattern, subject));
    for (const listener of listeners) setImmediate(() => void this.#tell(listener, subject, bytes, sent));
    return listeners.length;
  }

  override async subscribe(pattern: string, handler: Listener['handler']): Promise<Subscription> {
    this.#verifyOpen();
    const listener: Listener = { pattern, underWay: new UnderWay(), handler };
    this.#listeners.push(listener);
    return { close: () => (take(this.#listeners, listener) ?? listener).underWay.idle() };
  }

  override async ring(lane: string, bytes: Uint8Array, options: RingOptions): Promise<void> {
    this.#verifyOpen();
    this.#lane(lane).ring(bytes, options, this.#headers({}));
  }

  override async work(lane: string, options: WorkOptions): Promise<Work> {
    this.#verifyOpen();
    const { handler } = options;
    return this.#lane(lane).work({
      ...options,
      handler: (message) => this.#with.trace.extract(message.headers, () => handler(message)),
    });
  }

  override isConnected(): boolean {
    return this.#isOpen;
  }

  override async close(): Promise<void> {
    this.#isOpen = false;
    for (const lane of this.#lanes.values()) lane.stop();
    const busy = [
      ...this.#responders.splice(0).map(({ serving }) => serving.idle()),
      ...this.#listeners.splice(0).map(({ underWay }) => underWay.idle()),
    ];
    await Promise.all(busy);
  }

  /** Loses every message of the lanes, as a server does whose storage was deleted. */
  loseLanes(): void {
    for (const lane of this.#lanes.values()) lane.lose();
  }

  async #tell(listener: Listener, subject: string, bytes: Uint8Array, headers: BusHeaders): Promise<void> {
    if (!this.#listeners.includes(listener)) return;
    try {
      const message: BusMessage = { subject, payload: parsePayload(bytes), headers, deadline: null };
      await listener.underWay.run(async () => this.#with.trace.extract(headers, () => listener.handler(message)));
    } catch (error) {
      this.#with.report(error);
    }
  }

  #lane(name: string): MemoryLane {
    const lane = this.#lanes.get(name) ?? new MemoryLane(this.#with.report);
    this.#lanes.set(name, lane);
    return lane;
  }

  #headers(headers: BusHeaders): BusHeaders {
    const all = { ...headers };
    this.#with.trace.inject(all);
    return all;
  }

  #verifyOpen(): void {
    if (!this.#isOpen) throw new Fault('bus.unreachable', 'the bus is closed');
  }
}

/** Makes an in-memory bus. */
export function memoryBus(options: MemoryBusOptions): MemoryBus {
  return new MemoryBus(options);
}

function take<T>(list: T[], item: T): T | undefined {
  const index = list.indexOf(item);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Fault('deadline')), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
