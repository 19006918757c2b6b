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
  /** Epoch milliseconds after which nobody waits for the answer; null for an event. */
  readonly deadline: number | null;
}

export interface RequestOptions {
  /** Epoch milliseconds. It travels with the request, and every hop refuses what is past it. */
  readonly deadline: number;
  readonly headers?: BusHeaders;
}

export interface ServeOptions {
  /** Replicas that share a name share the requests: each is answered by one of them. */
  readonly queue: string;
  /** Requests under way at most. One more is answered `overloaded` at once. */
  readonly concurrencyMax: number;
  readonly handler: (message: BusMessage) => Promise<unknown>;
}

/** One message of a work lane. Exactly one of `ack`, `nak` and `term` counts: the first. */
export interface WorkMessage {
  readonly bytes: Uint8Array;
  readonly headers: BusHeaders;
  /** 1 at the first delivery. */
  readonly delivery: number;
  /** It is taken over: never deliver it again. */
  ack(): void;
  /** Not now: deliver it again, to anybody, in `delayMs`. */
  nak(delayMs: number): void;
  /** It can't be understood: never deliver it again. */
  term(): void;
}

export interface WorkOptions {
  /** The lane's consumer. Workers that share it share the messages. */
  readonly durable: string;
  /**
   * How many messages the worker would take now. It is asked before each fetch: when a handler has settled, and at
   * least every 100 ms. No more than that are fetched; what was, and finds that a slot was taken otherwise meanwhile,
   * waits for one.
   */
  readonly slots: () => number;
  readonly handler: (message: WorkMessage) => Promise<void>;
}

export interface RingOptions {
  /** A second message with the same id within the lane's window is dropped. */
  readonly messageId: string;
}

/** What `serve`, `subscribe` and `work` return. */
export interface Subscription {
  /** Takes nothing new from now on. Resolves when the handlers under way have settled. */
  close(): Promise<void>;
}

/** What `work` returns. */
export interface Work extends Subscription {
  /** Says that there is a free slot which no handler of this lane has left: it is asked for at once. */
  freed(): void;
}

/**
 * What processes say to each other.
 *
 * Requests: an answer is either the handler's value or the Fault that it threw. A handler's unknown error arrives as
 * `internal`, without its message. Nobody there is `bus.unreachable`; a deadline gone by is `deadline`.
 *
 * Work lanes: `ring` puts a message into a lane, which wakes a worker. The message is never the only copy of anything.
 *
 * - Implementations MAY lose, repeat and reorder lane messages at any time. They MUST recover from the loss of the
 * whole lane by themselves. They MUST NOT deliver more messages to a worker than it had free slots.
 * - Callers MUST be able to tell from their own database which messages nobody took, and MUST send those again. A lost
 * message costs a lease, never a call.
 * - Callers MUST NOT take a resolved `ring` for durability.
 */
export abstract class Bus {
  /**
   * Resolves to the handler's value as parsed JSON: attacker-free but unchecked, so the caller parses it. Rejects with
   * a Fault only.
   */
  abstract request(subject: string, payload: unknown, options: RequestOptions): Promise<unknown>;

  /** Answers requests on one exact subject. Resolves when requests sent from now on arrive here. */
  abstract serve(subject: string, options: ServeOptions): Promise<Subscription>;

  /** Tells whoever listens now. Nobody listening is no error. Throws a Fault when the payload can't be sent. */
  abstract publish(subject: string, payload: unknown, headers?: BusHeaders): void;

  /**
   * The same, and whether anybody listens: resolves with false at once where nobody does, and with true where nobody
   * said so within `withinMs` milliseconds. A listener that listens no more but whose connection still stands counts.
   * Rejects with a Fault when the payload can't be sent.
   */
  abstract reach(subject: string, payload: unknown, withinMs: number): Promise<boolean>;

  /**
   * Listens to events; `*` stands for one token of the subject and a last `>` for one or more. A handler's error is
   * reported, not sent.
   */
  abstract subscribe(subject: string, handler: (message: BusMessage) => void | Promise<void>): Promise<Subscription>;

  /** Puts bytes into a work lane. Resolves when the lane has them. */
  abstract ring(lane: string, bytes: Uint8Array, options: RingOptions): Promise<void>;

  /**
   * Takes messages of a lane. The handler MUST ack, nak or term; one that throws, or settles nothing, counts as a nak
   * of one second. Comes back by itself after the lane was lost.
   */
  abstract work(lane: string, options: WorkOptions): Promise<Work>;

  /** Answers whether messages can be sent right now. */
  abstract isConnected(): boolean;

  /** Closes every subscription as Subscription.close does, sends what is queued, then disconnects. */
  abstract close(): Promise<void>;
}
