// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import {
  Bus,
  type BusHeaders,
  type BusMessage,
  type RequestOptions,
  type EnqueueOptions,
  type ServeOptions,
  type Subscription,
  type WorkSubscription,
  type WorkOptions,
} from './bus.ts';
import { requestHeaders, verifyTimeLeft } from './deadline.ts';
import { encodePayload, parsePayload, parseReply } from './envelope.ts';
import { MemoryLane } from './memory-lane.ts';
import { RequestServer, type BusDependencies } from './request-server.ts';
import { isSubjectMatch } from './subject-match.ts';
import { noTrace } from './trace-hooks.ts';
import { InFlight } from './in-flight.ts';

export type MemoryBusOptions = Pick<BusDependencies, 'now'> & Partial<BusDependencies>;

interface Responder {
  readonly subject: string;
  readonly serving: RequestServer;
}

interface EventSubscription {
  readonly pattern: string;
  readonly underWay: InFlight;
  readonly handler: (message: BusMessage) => void | Promise<void>;
}

/** A bus within one process, for tests. Payloads pass through the same encoding and checks as on the NATS bus. */
export class MemoryBus extends Bus {
  readonly #dependencies: BusDependencies;
  readonly #responders: Responder[] = [];
  readonly #listeners: EventSubscription[] = [];
  readonly #lanes = new Map<string, MemoryLane>();
  #isOpen = true;

  constructor(options: MemoryBusOptions) {
    super();
    this.#dependencies = { now: options.now, trace: options.trace ?? noTrace, report: options.report ?? (() => {}) };
  }

  override async request(subject: string, payload: unknown, options: RequestOptions): Promise<unknown> {
    const left = verifyTimeLeft(options.deadline, this.#dependencies.now());
    this.#verifyOpen();
    const bytes = encodePayload(payload);
    const headers = this.#headers(requestHeaders(options.headers, options.deadline));
    const responder = this.#responders.find((candidate) => candidate.subject === subject);
    if (responder === undefined) throw new Fault('bus.unreachable', `nobody answers \`${subject}\``);
    // Replicas take turns.
    this.#responders.push(...this.#responders.splice(this.#responders.indexOf(responder), 1));
    return parseReply(await rejectAfter(left, responder.serving.answer(subject, bytes, headers)));
  }

  override async serve(subject: string, options: ServeOptions): Promise<Subscription> {
    this.#verifyOpen();
    const responder: Responder = { subject, serving: new RequestServer(options, this.#dependencies) };
    this.#responders.push(responder);
    return { close: () => remove(this.#responders, responder)?.serving.idle() ?? responder.serving.idle() };
  }

  override publish(subject: string, payload: unknown, headers: BusHeaders = {}): void {
    this.#publish(subject, payload, headers);
  }

  override async tryDeliver(subject: string, payload: unknown): Promise<boolean> {
    return this.#publish(subject, payload, {}) > 0;
  }

  #publish(subject: string, payload: unknown, headers: BusHeaders): number {
    this.#verifyOpen();
    const bytes = encodePayload(payload);
    const sent = this.#headers(headers);
    const listeners = this.#listeners.filter((listener) => isSubjectMatch(listener.pattern, subject));
    for (const listener of listeners) setImmediate(() => void this.#deliver(listener, subject, bytes, sent));
    return listeners.length;
  }

  override async subscribe(pattern: string, handler: EventSubscription['handler']): Promise<Subscription> {
    this.#verifyOpen();
    const listener: EventSubscription = { pattern, underWay: new InFlight(), handler };
    this.#listeners.push(listener);
    return { close: () => (remove(this.#listeners, listener) ?? listener).underWay.whenIdle() };
  }

  override async enqueue(lane: string, bytes: Uint8Array, options: EnqueueOptions): Promise<void> {
    this.#verifyOpen();
    this.#lane(lane).enqueue(bytes, options, this.#headers({}));
  }

  override async consume(lane: string, options: WorkOptions): Promise<WorkSubscription> {
    this.#verifyOpen();
    const { handler } = options;
    return this.#lane(lane).consume({
      ...options,
      handler: (message) => this.#dependencies.trace.extract(message.headers, () => handler(message)),
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
      ...this.#listeners.splice(0).map(({ underWay }) => underWay.whenIdle()),
    ];
    await Promise.all(busy);
  }

  /** Drops every message of the lanes, as a server does whose storage was deleted. */
  loseLanes(): void {
    for (const lane of this.#lanes.values()) lane.clear();
  }

  async #deliver(listener: EventSubscription, subject: string, bytes: Uint8Array, headers: BusHeaders): Promise<void> {
    if (!this.#listeners.includes(listener)) return;
    try {
      const message: BusMessage = { subject, payload: parsePayload(bytes), headers, deadline: null };
      await listener.underWay.run(async () =>
        this.#dependencies.trace.extract(headers, () => listener.handler(message)),
      );
    } catch (error) {
      this.#dependencies.report(error);
    }
  }

  #lane(name: string): MemoryLane {
    const lane = this.#lanes.get(name) ?? new MemoryLane(this.#dependencies.report);
    this.#lanes.set(name, lane);
    return lane;
  }

  #headers(headers: BusHeaders): BusHeaders {
    const all = { ...headers };
    this.#dependencies.trace.inject(all);
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

function remove<T>(list: T[], item: T): T | undefined {
  const index = list.indexOf(item);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}

async function rejectAfter<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Fault('deadline')), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
