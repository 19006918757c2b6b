// SPDX-License-Identifier: Apache-2.0
import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import type { Msg, NatsConnection, Subscription as NatsSubscription } from '@nats-io/transport-node';
import {
  Bus,
  encodePayload,
  noTrace,
  parsePayload,
  parseReply,
  requestHeaders,
  RequestServer,
  InFlight,
  verifyTimeLeft,
  type BusHeaders,
  type BusMessage,
  type RequestOptions,
  type EnqueueOptions,
  type ServeOptions,
  type Subscription,
  type BusDependencies,
  type WorkSubscription,
  type WorkOptions,
} from '@writ/bus';
import { Fault } from '@writ/contract';
import { connectNats, type NatsAddress } from './connect.ts';
import { LaneKeeper } from './lane-keeper.ts';
import type { WorkLanes } from './lanes.ts';
import { fromNatsHeaders, toNatsHeaders } from './nats-headers.ts';
import { isNoResponders, isTimeout, requestFault } from './nats-faults.ts';
import { NatsWorker } from './nats-worker.ts';
import { inboxRoot } from './permissions.ts';
import { LanePublisher } from './lane-publisher.ts';

export interface NatsBusOptions extends NatsAddress, Partial<BusDependencies> {
  readonly lanes: WorkLanes;
  /** Makes the work lanes and makes them again when they are gone. Set it for the process that publishes on them. */
  readonly keepsLanes: boolean;
}

/** The longest timer of Node, in milliseconds. A deadline beyond it makes no difference. */
const timerMsMax = 2_147_483_647;

/** The bus over a NATS server. */
export class NatsBus extends Bus {
  readonly #connection: NatsConnection;
  readonly #lanes: WorkLanes;
  readonly #dependencies: BusDependencies;
  readonly #jetstream: JetStreamClient;
  readonly #keeper: LaneKeeper | undefined;
  readonly #publisher: LanePublisher;
  readonly #open = new Set<Subscription>();
  /** One function for each request that waits for its answer. */
  readonly #onDisconnect = new Set<() => void>();
  #isConnected = true;

  constructor(
    connection: NatsConnection,
    options: Pick<NatsBusOptions, 'lanes' | 'keepsLanes'> & Partial<BusDependencies>,
  ) {
    super();
    this.#connection = connection;
    this.#lanes = options.lanes;
    this.#dependencies = {
      now: options.now ?? Date.now,
      trace: options.trace ?? noTrace,
      report: options.report ?? (() => {}),
    };
    this.#jetstream = jetstream(connection);
    this.#keeper = options.keepsLanes ? new LaneKeeper(connection, options.lanes) : undefined;
    this.#publisher = new LanePublisher(this.#jetstream, options.lanes, this.#keeper);
    void this.#watch();
  }

  /** Makes the work lanes if this process keeps them. */
  async ensureLanes(): Promise<void> {
    await this.#keeper?.ensure();
  }

  override async request(subject: string, payload: unknown, options: RequestOptions): Promise<unknown> {
    const remaining = verifyTimeLeft(options.deadline, this.#dependencies.now());
    this.#verifyConnected();
    const headers = requestHeaders(options.headers, options.deadline);
    this.#dependencies.trace.inject(headers);
    const bytes = encodePayload(payload);
    const waiting = this.#connection.request(subject, bytes, {
      timeout: Math.min(remaining, timerMsMax),
      headers: toNatsHeaders(headers),
    });
    try {
      return parseReply((await this.#unlessDisconnected(waiting)).data);
    } catch (error) {
      throw requestFault(subject, error);
    }
  }

  override async serve(subject: string, options: ServeOptions): Promise<Subscription> {
    const serving = new RequestServer(options, this.#dependencies);
    const answer = async (message: Msg): Promise<void> => {
      // An attacker's reply subject would make this process publish where the attacker may not. So answers go to
      // inboxes only.
      if (message.reply === undefined || !message.reply.startsWith(inboxRoot)) return;
      message.respond(await serving.answer(message.subject, message.data, fromNatsHeaders(message.headers)));
    };
    return this.#openSubscription(subject, options.queue, answer, () => serving.idle());
  }

  override publish(subject: string, payload: unknown, headers: BusHeaders = {}): void {
    const sent = { ...headers };
    this.#dependencies.trace.inject(sent);
    const bytes = encodePayload(payload);
    try {
      this.#connection.publish(subject, bytes, { headers: toNatsHeaders(sent) });
    } catch (error) {
      throw requestFault(subject, error);
    }
  }

  override async tryDeliver(subject: string, payload: unknown, withinMs: number): Promise<boolean> {
    this.#verifyConnected();
    const headers: Record<string, string> = {};
    this.#dependencies.trace.inject(headers);
    const bytes = encodePayload(payload);
    try {
      // Subscribers of events don't answer; the server answers if there are none.
      await this.#connection.request(subject, bytes, { timeout: withinMs, headers: toNatsHeaders(headers) });
      return true;
    } catch (error) {
      if (isNoResponders(error)) return false;
      if (isTimeout(error)) return true;
      throw requestFault(subject, error);
    }
  }

  override async subscribe(
    subject: string,
    handler: (message: BusMessage) => void | Promise<void>,
  ): Promise<Subscription> {
    const underWay = new InFlight();
    const deliver = async (message: Msg): Promise<void> => {
      const headers = fromNatsHeaders(message.headers);
      const event: BusMessage = {
        subject: message.subject,
        payload: parsePayload(message.data),
        headers,
        deadline: null,
      };
      await underWay.run(async () => this.#dependencies.trace.extract(headers, () => handler(event)));
    };
    return this.#openSubscription(subject, undefined, deliver, () => underWay.whenIdle());
  }

  override async enqueue(lane: string, bytes: Uint8Array, options: EnqueueOptions): Promise<void> {
    this.#verifyConnected();
    const headers: Record<string, string> = {};
    this.#dependencies.trace.inject(headers);
    await this.#publisher.publish(lane, bytes, options.messageId, toNatsHeaders(headers));
  }

  override async consume(lane: string, options: WorkOptions): Promise<WorkSubscription> {
    if (!this.#lanes.lanes.some(({ subject, durable }) => subject === lane && durable === options.durable))
      throw new Error(`there is no lane \`${lane}\` with consumer \`${options.durable}\``);
    const worker = new NatsWorker(this.#jetstream, this.#lanes.stream, options, this.#dependencies, this.#keeper);
    return { ...this.#track(worker), notifySlotFree: () => worker.notifySlotFree() };
  }

  override isConnected(): boolean {
    return this.#isConnected && !this.#connection.isClosed();
  }

  override async close(): Promise<void> {
    await Promise.all([...this.#open].map((subscription) => subscription.close()));
    // Sends queued messages, above all answers, then disconnects.
    if (!this.#connection.isClosed()) await this.#connection.drain();
  }

  async #openSubscription(
    subject: string,
    queue: string | undefined,
    handle: (message: Msg) => Promise<void>,
    idle: () => Promise<void>,
  ): Promise<Subscription> {
    let refusal: Error | undefined;
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) void handle(message).catch((thrown: unknown) => this.#dependencies.report(thrown));
      else {
        refusal = error;
        this.#dependencies.report(error);
      }
    };
    const subscription: NatsSubscription = this.#connection.subscribe(
      subject,
      queue === undefined ? { callback } : { queue, callback },
    );
    // After the round trip the server has accepted or refused the subscription.
    await this.#connection.flush();
    if (refusal !== undefined) throw new Error(`the bus refuses a subscription to \`${subject}\``, { cause: refusal });
    return this.#track({
      close: async () => {
        if (!subscription.isClosed() && !this.#connection.isClosed()) await subscription.drain();
        await idle();
      },
    });
  }

  #track(subscription: Subscription): Subscription {
    const tracked: Subscription = {
      close: async () => {
        this.#open.delete(tracked);
        await subscription.close();
      },
    };
    this.#open.add(tracked);
    return tracked;
  }

  /** An answer can't arrive over a lost connection, so the caller need not wait for its deadline before it retries. */
  async #unlessDisconnected<T>(waiting: Promise<T>): Promise<T> {
    let disconnect: () => void = () => {};
    const lost = new Promise<never>((_resolve, reject) => {
      disconnect = () => reject(new Fault('deadline', 'the connection was lost while the answer was awaited'));
    });
    this.#onDisconnect.add(disconnect);
    try {
      return await Promise.race([waiting, lost]);
    } finally {
      this.#onDisconnect.delete(disconnect);
    }
  }

  /**
   * The client library would drop messages that are sent without a connection, and their senders would wait in vain.
   */
  #verifyConnected(): void {
    if (!this.isConnected()) throw new Fault('bus.unreachable', 'there is no connection to the bus');
  }

  #disconnected(): void {
    this.#isConnected = false;
    for (const disconnect of this.#onDisconnect) disconnect();
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') this.#disconnected();
      else if (status.type === 'reconnect') this.#isConnected = true;
      else if (status.type === 'error') this.#dependencies.report(status.error);
    }
    this.#disconnected();
  }
}

/** Connects to NATS. Rejects when the first connection fails, or when the lanes can't be made. */
export async function natsBus(options: NatsBusOptions): Promise<NatsBus> {
  const connection = await connectNats(options).catch((error: unknown) => {
    throw new Fault('bus.unreachable', `no NATS server at \`${options.url}\` for user \`${options.user}\``, {
      cause: error,
    });
  });
  const bus = new NatsBus(connection, options);
  try {
    await bus.ensureLanes();
  } catch (error) {
    await connection.close();
    throw error;
  }
  return bus;
}
