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
  Serving,
  UnderWay,
  verifyTimeLeft,
  type BusHeaders,
  type BusMessage,
  type RequestOptions,
  type RingOptions,
  type ServeOptions,
  type Subscription,
  type Surroundings,
  type Work,
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

export interface NatsBusOptions extends NatsAddress, Partial<Surroundings> {
  readonly lanes: WorkLanes;
  /** Makes the work lanes and makes them again when they are gone. Set it for the process that publishes on them. */
  readonly keepsLanes: boolean;
}

/** Longest that a timer takes, in milliseconds; a deadline beyond it is as good as this. */
const timerMsMax = 2_147_483_647;

/** The bus over a NATS server. */
export class NatsBus extends Bus {
  readonly #connection: NatsConnection;
  readonly #lanes: WorkLanes;
  readonly #with: Surroundings;
  readonly #jetstream: JetStreamClient;
  readonly #keeper: LaneKeeper | undefined;
  readonly #ringer: LanePublisher;
  readonly #open = new Set<Subscription>();
  /** One for each request that waits for its answer. */
  readonly #cutOffs = new Set<() => void>();
  #isConnected = true;

  constructor(
    connection: NatsConnection,
    options: Pick<NatsBusOptions, 'lanes' | 'keepsLanes'> & Partial<Surroundings>,
  ) {
    super();
    this.#connection = connection;
    this.#lanes = options.lanes;
    this.#with = {
      now: options.now ?? Date.now,
      trace: options.trace ?? noTrace,
      report: options.report ?? (() => {}),
    };
    this.#jetstream = jetstream(connection);
    this.#keeper = options.keepsLanes ? new LaneKeeper(connection, options.lanes) : undefined;
    this.#ringer = new LanePublisher(this.#jetstream, options.lanes, this.#keeper);
    void this.#watch();
  }

  /** Makes the work lanes if this process keeps them. */
  async ensureLanes(): Promise<void> {
    await this.#keeper?.ensure();
  }

  override async request(subject: string, payload: unknown, options: RequestOptions): Promise<unknown> {
    const left = verifyTimeLeft(options.deadline, this.#with.now());
    this.#verifyConnected();
    const headers = requestHeaders(options.headers, options.deadline);
    this.#with.trace.inject(headers);
    const bytes = encodePayload(payload);
    const waiting = this.#connection.request(subject, bytes, {
      timeout: Math.min(left, timerMsMax),
      headers: toNatsHeaders(headers),
    });
    try {
      return parseReply((await this.#unlessCutOff(waiting)).data);
    } catch (error) {
      throw requestFault(subject, error);
    }
  }

  override async serve(subject: string, options: ServeOptions): Promise<Subscription> {
    const serving = new Serving(options, this.#with);
    const answer = async (message: Msg): Promise<void> => {
      // An attacker's reply subject would make this process publish where the attacker may not: answers go to inboxes
      // only.
      if (message.reply === undefined || !message.reply.startsWith(inboxRoot)) return;
      message.respond(await serving.answer(message.subject, message.data, fromNatsHeaders(message.headers)));
    };
    return this.#listen(subject, options.queue, answer, () => serving.idle());
  }

  override publish(subject: string, payload: unknown, headers: BusHeaders = {}): void {
    const sent = { ...headers };
    this.#with.trace.inject(sent);
    const bytes = encodePayload(payload);
    try {
      this.#connection.publish(subject, bytes, { headers: toNatsHeaders(sent) });
    } catch (error) {
      throw requestFault(subject, error);
    }
  }

  override async reach(subject: string, payload: unknown, withinMs: number): Promise<boolean> {
    this.#verifyConnected();
    const headers: Record<string, string> = {};
    this.#with.trace.inject(headers);
    const bytes = encodePayload(payload);
    try {
      // Nobody answers events; the server does where there is nobody.
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
    const underWay = new UnderWay();
    const tell = async (message: Msg): Promise<void> => {
      const headers = fromNatsHeaders(message.headers);
      const event: BusMessage = {
        subject: message.subject,
        payload: parsePayload(message.data),
        headers,
        deadline: null,
      };
      await underWay.run(async () => this.#with.trace.extract(headers, () => handler(event)));
    };
    return this.#listen(subject, undefined, tell, () => underWay.idle());
  }

  override async ring(lane: string, bytes: Uint8Array, options: RingOptions): Promise<void> {
    this.#verifyConnected();
    const headers: Record<string, string> = {};
    this.#with.trace.inject(headers);
    await this.#ringer.ring(lane, bytes, options.messageId, toNatsHeaders(headers));
  }

  override async work(lane: string, options: WorkOptions): Promise<Work> {
    if (!this.#lanes.lanes.some(({ subject, durable }) => subject === lane && durable === options.durable))
      throw new Error(`there is no lane \`${lane}\` with consumer \`${options.durable}\``);
    const worker = new NatsWorker(this.#jetstream, this.#lanes.stream, options, this.#with, this.#keeper);
    return { ...this.#keepOpen(worker), freed: () => worker.freed() };
  }

  override isConnected(): boolean {
    return this.#isConnected && !this.#connection.isClosed();
  }

  override async close(): Promise<void> {
    await Promise.all([...this.#open].map((subscription) => subscription.close()));
    // Sends what is queued, answers above all, then disconnects.
    if (!this.#connection.isClosed()) await this.#connection.drain();
  }

  async #listen(
    subject: string,
    queue: string | undefined,
    handle: (message: Msg) => Promise<void>,
    idle: () => Promise<void>,
  ): Promise<Subscription> {
    let refusal: Error | undefined;
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) void handle(message).catch((thrown: unknown) => this.#with.report(thrown));
      else {
        refusal = error;
        this.#with.report(error);
      }
    };
    const subscription: NatsSubscription = this.#connection.subscribe(
      subject,
      queue === undefined ? { callback } : { queue, callback },
    );
    // The server has it, or has refused it, once the round trip is done.
    await this.#connection.flush();
    if (refusal !== undefined) throw new Error(`the bus refuses a subscription to \`${subject}\``, { cause: refusal });
    return this.#keepOpen({
      close: async () => {
        if (!subscription.isClosed() && !this.#connection.isClosed()) await subscription.drain();
        await idle();
      },
    });
  }

  #keepOpen(subscription: Subscription): Subscription {
    const kept: Subscription = {
      close: async () => {
        this.#open.delete(kept);
        await subscription.close();
      },
    };
    this.#open.add(kept);
    return kept;
  }

  /** An answer can't come over a connection that was lost: the caller need not wait for its deadline to ask again. */
  async #unlessCutOff<T>(waiting: Promise<T>): Promise<T> {
    let cutOff: () => void = () => {};
    const lost = new Promise<never>((_resolve, reject) => {
      cutOff = () => reject(new Fault('deadline', 'the connection was lost while the answer was awaited'));
    });
    this.#cutOffs.add(cutOff);
    try {
      return await Promise.race([waiting, lost]);
    } finally {
      this.#cutOffs.delete(cutOff);
    }
  }

  /** What is sent while there is no connection would be dropped by the client library, and waited for in vain. */
  #verifyConnected(): void {
    if (!this.isConnected()) throw new Fault('bus.unreachable', 'there is no connection to the bus');
  }

  #disconnected(): void {
    this.#isConnected = false;
    for (const cutOff of this.#cutOffs) cutOff();
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') this.#disconnected();
      else if (status.type === 'reconnect') this.#isConnected = true;
      else if (status.type === 'error') this.#with.report(status.error);
    }
    this.#disconnected();
  }
}

/** Connects to NATS. Rejects when the first connection, or making the lanes that this process keeps, fails. */
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
