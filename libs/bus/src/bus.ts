// SPDX-License-Identifier: Apache-2.0

/** Headers of a message. Names are compared as written: `writ-deadline`, `traceparent`. */
export type BusHeaders = Readonly<Record<string, string>>;

/**
 * A request or an event as a handler sees it. `payload` is parsed JSON and as trustworthy as the process that sent it.
 */
export interface BusMessage {
  readonly subject: string;
  readonly payload: unknown;
  readonly headers: BusHeaders;
  /** Epoch milliseconds after which the requester no longer waits for the answer; null for an event. */
  readonly deadline: number | null;
}

export interface RequestOptions {
  /** Epoch milliseconds. It travels with the request, and every process on the way refuses a request past it. */
  readonly deadline: number;
  readonly headers?: BusHeaders;
}

export interface ServeOptions {
  /** Replicas that share a name share the requests: each is answered by one of them. */
  readonly queue: string;
  /** Bound on requests that run at once. One more is answered with `overloaded` at once. */
  readonly concurrencyMax: number;
  readonly handler: (message: BusMessage) => Promise<unknown>;
}

/** One message of a work lane. Exactly one of `ack`, `nak` and `term` counts: the first. */
export interface WorkMessage {
  readonly bytes: Uint8Array;
  readonly headers: BusHeaders;
  /** 1 at the first delivery. */
  readonly delivery: number;
  /** The worker has taken the message over: the lane MUST NOT deliver it again. */
  ack(): void;
  /** The worker cannot handle it now: the lane delivers it again after `delayMs`, to any worker. */
  nak(delayMs: number): void;
  /** The worker cannot parse the message: the lane MUST NOT deliver it again. */
  term(): void;
}

export interface WorkOptions {
  /** The lane's consumer. Workers that share it share the messages. */
  readonly durable: string;
  /**
   * How many messages the worker can accept now. The bus calls it before each fetch: when a handler has settled, and at
   * least every 100 ms. It fetches no more messages than that. A fetched message waits if another lane has taken its
   * slot meanwhile.
   */
  readonly slots: () => number;
  readonly handler: (message: WorkMessage) => Promise<void>;
}

export interface EnqueueOptions {
  /** The lane drops a second message with the same id within its duplicate window. */
  readonly messageId: string;
}

/** What `serve`, `subscribe` and `consume` return. */
export interface Subscription {
  /** Stops deliveries. Resolves when the running handlers have settled. */
  close(): Promise<void>;
}

/** What `consume` returns. */
export interface WorkSubscription extends Subscription {
  /** Reports that a slot became free which no handler of this lane held. The bus calls `slots` again at once. */
  notifySlotFree(): void;
}

/**
 * Messages between processes.
 *
 * Requests: an answer is either the handler's value or the Fault that it threw. Any other error of a handler arrives as
 * `internal`, without its message. A request without a server is `bus.unreachable`; one past its deadline is
 * `deadline`.
 *
 * Work lanes: `enqueue` puts a message into a lane, which wakes a worker. It is never the only copy of its data.
 *
 * - Implementations MAY lose, repeat and reorder lane messages at any time. They MUST recover from the loss of the
 *   whole lane by themselves. They MUST NOT deliver more messages to a worker than it had free slots.
 * - Callers MUST be able to tell from their own database which messages no worker received, and MUST send those again.
 *   A lost message costs a lease, never a call.
 * - Callers MUST NOT take a resolved `enqueue` for durability.
 */
export abstract class Bus {
  /**
   * Resolves to the handler's value as parsed JSON. The sender is trusted, the value is unchecked, so the caller parses
   * it. Rejects with a Fault only.
   */
  abstract request(subject: string, payload: unknown, options: RequestOptions): Promise<unknown>;

  /** Answers requests on one exact subject. Resolves when the server routes later requests to this process. */
  abstract serve(subject: string, options: ServeOptions): Promise<Subscription>;

  /**
   * Sends an event to the current subscribers. An event without subscribers is no error. Throws a Fault when the
   * payload can't be sent.
   */
  abstract publish(subject: string, payload: unknown, headers?: BusHeaders): void;

  /**
   * Sends an event and reports whether it has a subscriber. Resolves with false at once if there is none, and with true
   * if the server has not reported that within `withinMs` milliseconds. A subscriber that has stopped handling events
   * counts as long as its connection is open. Rejects with a Fault when the payload can't be sent.
   */
  abstract tryDeliver(subject: string, payload: unknown, withinMs: number): Promise<boolean>;

  /**
   * Subscribes to events. `*` matches one token of the subject, and a last `>` matches one or more. A handler's error
   * is reported, not sent.
   */
  abstract subscribe(subject: string, handler: (message: BusMessage) => void | Promise<void>): Promise<Subscription>;

  /** Puts bytes into a work lane. Resolves when the lane has stored them. */
  abstract enqueue(lane: string, bytes: Uint8Array, options: EnqueueOptions): Promise<void>;

  /**
   * Consumes the messages of a lane. The handler MUST ack, nak or term. A handler that throws, or settles nothing,
   * counts as a nak of one second. The subscription recovers by itself after the lane was lost.
   */
  abstract consume(lane: string, options: WorkOptions): Promise<WorkSubscription>;

  /** Answers whether messages can be sent right now. */
  abstract isConnected(): boolean;

  /** Closes every subscription as Subscription.close does, sends what is queued, then disconnects. */
  abstract close(): Promise<void>;
}
