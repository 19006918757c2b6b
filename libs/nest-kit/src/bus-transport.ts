// SPDX-License-Identifier: Apache-2.0
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Bus, BusMessage, Subscription } from '@writ/bus';
import { EVENTS, Fault, REQUESTS, subjectsOf, type EventKind, type Process, type Subjects } from '@writ/contract';
import { withSpan, type Histogram, type Telemetry } from '@writ/telemetry';
import { isObservable, lastValueFrom } from 'rxjs';
import { BusContext } from './bus-context.ts';

/**
 * Concurrent requests of one verb, unless its `@MessagePattern` sets another limit. This is far more than a replica's
 * database pool can serve.
 */
export const concurrencyMaxDefault = 128;

export interface BusTransportOptions {
  readonly bus: Bus;
  /** The serving process. Its name is the queue that its replicas share. */
  readonly process: Process;
  readonly shard: string;
  readonly telemetry: Pick<Telemetry, 'meter'>;
  /** Receives the error that a handler of an event threw. */
  readonly report: (error: unknown) => void;
}

/** Settings of one handler: the extras of its `@MessagePattern(name, { concurrencyMax })`. */
interface HandlerExtras {
  readonly concurrencyMax?: number;
}

/**
 * Nest's microservices over the bus. `@MessagePattern('kernel.admit')` serves a request of the contract's table.
 * `@EventPattern('slots')` subscribes to a kind of event of every tenant.
 *
 * A handler gets the parsed JSON as `@Payload()` and a BusContext as `@Ctx()`. It runs in a span named by the verb,
 * parses the payload, and returns the answer or throws a Fault.
 */
export class BusTransport extends Server implements CustomTransportStrategy {
  readonly #options: BusTransportOptions;
  readonly #subjects: Subjects;
  readonly #seconds: Histogram<'writ.bus.handler.duration'>;
  readonly #subscriptions: Subscription[] = [];

  constructor(options: BusTransportOptions) {
    super();
    this.#options = options;
    this.#subjects = subjectsOf(options.shard);
    this.#seconds = options.telemetry.meter.histogram('writ.bus.handler.duration');
  }

  /** Subscribes every handler. Fails for a pattern that does not belong to this process. */
  override async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      for (const [pattern, handler] of this.messageHandlers) {
        this.#subscriptions.push(
          handler.isEventHandler === true
            ? await this.#subscribe(pattern, handler)
            : await this.#serve(pattern, handler),
        );
      }
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }

  /** Accepts no new messages. Resolves when the running handlers have settled. */
  override async close(): Promise<void> {
    await Promise.all(this.#subscriptions.splice(0).map((subscription) => subscription.close()));
  }

  override on(): never {
    throw new Error('the bus transport has no events of its own');
  }

  override unwrap<T>(): T {
    return this.#options.bus as T;
  }

  async #serve(name: string, handler: MessageHandler): Promise<Subscription> {
    const { bus, process } = this.#options;
    if (REQUESTS[name]?.server !== process) throw new Error(`\`${process}\` doesn't serve \`${name}\``);
    const { concurrencyMax = concurrencyMaxDefault } = (handler.extras ?? {}) as HandlerExtras;
    const verb = name.slice(process.length + 1);
    return bus.serve(this.#subjects.request(name), {
      queue: process,
      concurrencyMax,
      handler: (message) => this.#handle(verb, handler, message),
    });
  }

  async #subscribe(kind: string, handler: MessageHandler): Promise<Subscription> {
    const { bus, process, report } = this.#options;
    if (!isSubscribedBy(process, kind)) throw new Error(`\`${process}\` doesn't hear \`${kind}\``);
    return bus.subscribe(this.#subjects.allEvents(kind), async (message) => {
      try {
        await this.#handle(kind, handler, message);
      } catch (error) {
        report(error);
      }
    });
  }

  async #handle(verb: string, handler: MessageHandler, message: BusMessage): Promise<unknown> {
    const started = performance.now();
    let outcome = 'ok';
    try {
      return await withSpan(verb, {}, async () => {
        const result: unknown = await handler(message.payload, new BusContext([message]));
        return isObservable(result) ? lastValueFrom(result, { defaultValue: null }) : result;
      });
    } catch (error) {
      outcome = error instanceof Fault ? error.code : 'internal';
      throw error;
    } finally {
      this.#seconds.record((performance.now() - started) / 1_000, { verb, outcome });
    }
  }
}

function isSubscribedBy(process: Process, kind: string): kind is EventKind {
  return Object.hasOwn(EVENTS, kind) && (EVENTS[kind as EventKind].subscribers as readonly Process[]).includes(process);
}
