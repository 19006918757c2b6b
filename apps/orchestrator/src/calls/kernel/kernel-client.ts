// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import {
  Fault,
  ErasureView,
  NoticesTaken,
  opened,
  parseMessage,
  TextOrders,
  type AdmitRequest,
  type KernelRequest,
  type KernelVerb,
  type Notice,
  type OperationId,
  type OperationView,
  type RequestName,
  type Subjects,
  type TenantCreate,
  type TextOrder,
  type TextsTold,
} from '@writ/contract';
import pRetry from 'p-retry';
import { Type, type Static, type TSchema } from 'typebox';
import { AdmitReply, KERNEL_REPLIES, TenantCreateReply, type KernelReply } from './kernel-replies.ts';

/** Longest that an ordinary question waits for its answer. */
const ASK_MS = 10_000;
/** Longest that one sending of a call waits: a decision takes milliseconds, so no answer in this time is a lost one. */
const ADMIT_MS = 5_000;
/**
 * Longest that a sending waits for the end of its call, which for most is milliseconds away: one answer then says it
 * all. Whoever waits longer listens for events.
 */
const ADMIT_WAIT_MS = 250;
/**
 * Least that a sending has, whatever its call's deadline: what is too late the kernel refuses, with a record, and who
 * asks again by key is told what became of the call.
 */
const ANSWER_MS = 2_000;
/**
 * Sendings of one call, with the same operation_id each time. Together with the pauses less than a client's patience of
 * 30 s.
 */
const ADMIT_RETRIES = 3;
/**
 * Faults after which nobody can say whether the kernel decided: asking again with the same id is the only way to know.
 * `internal` is none of them. A bug would be met again, at whatever it cost the first time; whether something was
 * decided before it is looked up instead.
 */
const UNCERTAIN: ReadonlySet<string> = new Set(['bus.unreachable', 'deadline', 'database.unavailable']);

const ORDERS = opened(TextOrders);
const GONE = opened(ErasureView);
const TAKEN = opened(NoticesTaken);
const DROPPED = Type.Object({});

type Asked<V extends KernelVerb> = Omit<KernelRequest<V>, 'v' | 'caller'>;

/** The kernel, as this process asks it. */
export class KernelClient {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #now: () => number;

  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#now = now;
  }

  /**
   * A caller is null where the platform key asks, for verbs that take it. Faults: those of the verb, `bus.unreachable`,
   * `overloaded`.
   */
  async ask<V extends KernelVerb>(
    verb: V,
    caller: KernelRequest<V>['caller'],
    request: Asked<V>,
  ): Promise<KernelReply<V>> {
    return await this.#ask(verb, caller, request, ASK_MS);
  }

  /**
   * Proposes a call until there is an answer, always as the same operation. The kernel waits up to `waitMs` for a
   * call's end before it answers, within bounds of its own. Fault `bus.unreachable` when there is none; `internal`
   * after one sending, for a bug: `decided` says whether the call was decided before it.
   */
  async admit(call: Omit<AdmitRequest, 'wait_ms'>, waitMs: number): Promise<OperationView> {
    const request: AdmitRequest = { ...call, wait_ms: Math.min(waitMs, ADMIT_WAIT_MS) };
    return await this.#untilAnswered(() =>
      this.#request('kernel.admit', request, AdmitReply, this.#left(call.deadline)),
    );
  }

  /**
   * The operation, where it was decided; null where it wasn't. For whoever proposed it and got `internal` for an
   * answer.
   */
  async decided(
    caller: KernelRequest<'operation.read'>['caller'],
    operation_id: OperationId,
  ): Promise<OperationView | null> {
    try {
      return await this.ask('operation.read', caller, { operation_id });
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') return null;
      throw error;
    }
  }

  /**
   * As `ask`, sent again until there is an answer: for what is the same thing however often it is asked, as by an id
   * that came along.
   */
  async insist<V extends KernelVerb>(
    verb: V,
    caller: KernelRequest<V>['caller'],
    request: Asked<V>,
  ): Promise<KernelReply<V>> {
    return await this.#untilAnswered(() => this.#ask(verb, caller, request, ADMIT_MS));
  }

  /** Notices of all tenants, oldest first: each comes again unless it is dropped within half a minute. */
  async takeNotices(limit: number): Promise<Notice[]> {
    return (await this.#request('kernel.notice.take', { v: 1, limit }, TAKEN, ASK_MS)).notices;
  }

  /** Callers MUST keep them durably before. */
  async dropNotices(notice_ids: readonly string[]): Promise<void> {
    await this.#request('kernel.notice.drop', { v: 1, notice_ids }, DROPPED, ASK_MS);
  }

  /** What erasures of all tenants ask to be taken of what was said. */
  async textOrders(limit: number): Promise<TextOrder[]> {
    return (await this.#request('kernel.erasure.orders', { v: 1, limit }, ORDERS, ASK_MS)).orders;
  }

  /** Resolves when that is on the record. Callers MUST have settled it durably, and MUST NOT take any of it before. */
  async tellTexts(
    { tenant_id, erasure_id }: TextOrder,
    told: Pick<TextsTold, 'round' | 'session_ids' | 'run_ids' | 'fork_ids'>,
  ): Promise<void> {
    await this.#request('kernel.erasure.tell', { v: 1, tenant_id, erasure_id, ...told }, DROPPED, ASK_MS);
  }

  /** Nothing is left of what was asked for. */
  async textsGone({ tenant_id, erasure_id }: TextOrder): Promise<ErasureView> {
    return await this.#request('kernel.erasure.gone', { v: 1, tenant_id, erasure_id }, GONE, ASK_MS);
  }

  async createTenant(tenant: TenantCreate): Promise<void> {
    await this.#untilAnswered(() => this.#request('kernel.tenant.create', tenant, TenantCreateReply, ASK_MS));
  }

  async #ask<V extends KernelVerb>(
    verb: V,
    caller: KernelRequest<V>['caller'],
    request: Asked<V>,
    waitMs: number,
  ): Promise<KernelReply<V>> {
    return this.#request(`kernel.${verb}`, { v: 1, caller, ...request }, KERNEL_REPLIES[verb], waitMs) as Promise<
      KernelReply<V>
    >;
  }

  #left(deadline: number | null): number {
    return deadline === null ? ADMIT_MS : Math.min(ADMIT_MS, Math.max(ANSWER_MS, deadline - this.#now()));
  }

  async #untilAnswered<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await pRetry(send, {
        retries: ADMIT_RETRIES,
        minTimeout: 50,
        factor: 4,
        randomize: true,
        shouldRetry: ({ error }) => error instanceof Fault && UNCERTAIN.has(error.code),
      });
    } catch (error) {
      if (!(error instanceof Fault) || !UNCERTAIN.has(error.code)) throw error;
      throw new Fault(
        error.code === 'database.unavailable' ? error.code : 'bus.unreachable',
        'the kernel gives no answer',
        { cause: error },
      );
    }
  }

  async #request<S extends TSchema>(
    name: RequestName,
    request: unknown,
    schema: S,
    waitMs: number,
  ): Promise<Static<S>> {
    const reply = await this.#bus.request(this.#subjects.request(name), request, { deadline: this.#now() + waitMs });
    try {
      return parseMessage(schema, reply);
    } catch (cause) {
      throw new Fault('internal', undefined, {
        cause: new Error(`the answer of \`${name}\` is not as agreed`, { cause }),
      });
    }
  }
}
