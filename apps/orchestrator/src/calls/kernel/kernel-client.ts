// SPDX-License-Identifier: Apache-2.0
import { withAddedMembers, type Bus } from '@writ/bus';
import {
  Fault,
  FAULTS,
  ErasureView,
  NoticesReply,
  allowUnknownMembers,
  parseMessage,
  TextErasureOrdersReply,
  type AdmitRequest,
  type KernelRequest,
  type KernelVerb,
  type Notice,
  type OperationId,
  type OperationView,
  type RequestName,
  type Subjects,
  type TenantCreate,
  type TextErasureOrder,
  type TextsAnnounced,
} from '@writ/contract';
import pRetry from 'p-retry';
import { Type, type Static, type TSchema } from 'typebox';
import { AdmitReply, KERNEL_REPLIES, TenantCreateReply, type KernelReply } from './kernel-replies.ts';

/** Longest wait for the reply to an ordinary request. */
const ASK_MS = 10_000;
/** Longest wait for the reply to one proposal: a decision takes milliseconds, so a later reply is treated as lost. */
const ADMIT_MS = 5_000;
/**
 * Longest time that the kernel waits for the end of a call before it replies. Most calls end within milliseconds, so
 * one reply has the result. Clients that wait longer rely on events.
 */
const ADMIT_WAIT_MS = 250;
/**
 * Shortest wait for a reply, whatever the call's deadline. The kernel refuses a late call with a record, and a repeated
 * call with the same key gets the earlier result.
 */
const ANSWER_MS = 2_000;
/**
 * Retries of one proposal, each with the same operation_id. With the pauses they take less than a client's timeout of
 * 30 s.
 */
const ADMIT_RETRIES = 3;
/**
 * Faults after which it is unknown whether the kernel decided. Only a retry with the same id tells. `internal` is not
 * among them: a bug would fail again at the same cost, so the operation is looked up instead.
 */
const UNCERTAIN_FAULTS: ReadonlySet<string> = new Set(['bus.unreachable', 'deadline', 'database.unavailable']);

/** Members of requests by which this says what it reads. A kernel of the version before doesn't know them. */
const READS = new Map<RequestName, Readonly<Record<string, unknown>>>([
  ['kernel.notice.take', { mcp_servers: true }],
  ['kernel.mcp_server.list', { every_kind: true }],
  ['kernel.mcp_server.read', { every_kind: true }],
  ['kernel.mcp_server.refresh', { every_kind: true }],
]);

/** Members of requests that a kernel of the version before doesn't know, and that it may be asked without. */
const ADDED = new Map<RequestName, readonly string[]>([
  ['kernel.approval.read', ['other_names']],
  ['kernel.token.draw', ['cost']],
]);

const TEXT_ORDERS_REPLY = allowUnknownMembers(TextErasureOrdersReply);
const ERASURE_REPLY = allowUnknownMembers(ErasureView);
const NOTICES_REPLY = allowUnknownMembers(NoticesReply);
const EMPTY_REPLY = Type.Object({});

type RequestBody<V extends KernelVerb> = Omit<KernelRequest<V>, 'v' | 'caller'>;

/** The client for the kernel's requests on the bus. */
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
   * Sends one request. `caller` is null for the platform key, for verbs that allow it. Faults: those of the verb,
   * `bus.unreachable`, `overloaded`.
   */
  async ask<V extends KernelVerb>(
    verb: V,
    caller: KernelRequest<V>['caller'],
    request: RequestBody<V>,
  ): Promise<KernelReply<V>> {
    return await this.#ask(verb, caller, request, ASK_MS);
  }

  /**
   * Proposes a call, and retries as the same operation until there is a reply. The kernel waits up to `waitMs` for the
   * call's end before it replies, within its own limits. Fault `bus.unreachable` without a reply. Fault `internal`
   * after one attempt, for a bug: `decided` then tells whether the call was decided.
   */
  async admit(call: Omit<AdmitRequest, 'wait_ms'>, waitMs: number): Promise<OperationView> {
    const request: AdmitRequest = { ...call, wait_ms: Math.min(waitMs, ADMIT_WAIT_MS) };
    return await this.#retryUntilAnswered(() =>
      this.#request('kernel.admit', request, AdmitReply, this.#remainingMs(call.deadline)),
    );
  }

  /** The operation if it was decided, else null. For a caller whose proposal failed with `internal`. */
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

  /** As `ask`, but retries until there is a reply. Only for idempotent requests, such as those that carry an id. */
  async askUntilAnswered<V extends KernelVerb>(
    verb: V,
    caller: KernelRequest<V>['caller'],
    request: RequestBody<V>,
  ): Promise<KernelReply<V>> {
    return await this.#retryUntilAnswered(() => this.#ask(verb, caller, request, ADMIT_MS));
  }

  /**
   * Notices of all tenants, oldest first. The kernel returns a notice again unless it is dropped within half a minute.
   */
  async fetchNotices(limit: number): Promise<Notice[]> {
    return (await this.#request('kernel.notice.take', { v: 1, limit }, NOTICES_REPLY, ASK_MS)).notices;
  }

  /** Removes notices from the kernel. Callers MUST have stored them durably before. */
  async dropNotices(notice_ids: readonly string[]): Promise<void> {
    await this.#request('kernel.notice.drop', { v: 1, notice_ids }, EMPTY_REPLY, ASK_MS);
  }

  /** The kernel's orders to erase texts of sessions, of all tenants. */
  async textOrders(limit: number): Promise<TextErasureOrder[]> {
    return (await this.#request('kernel.erasure.orders', { v: 1, limit }, TEXT_ORDERS_REPLY, ASK_MS)).orders;
  }

  /**
   * Reports what a round deletes. Resolves when the kernel has recorded it. Callers MUST have fixed the round durably,
   * and MUST NOT delete any of it before.
   */
  async reportTextRound(
    { tenant_id, erasure_id }: TextErasureOrder,
    round: Pick<TextsAnnounced, 'round' | 'session_ids' | 'run_ids' | 'fork_ids'>,
  ): Promise<void> {
    await this.#request('kernel.erasure.tell', { v: 1, tenant_id, erasure_id, ...round }, EMPTY_REPLY, ASK_MS);
  }

  /** Reports that all texts of an order are deleted. */
  async completeTextOrder({ tenant_id, erasure_id }: TextErasureOrder): Promise<ErasureView> {
    return await this.#request('kernel.erasure.gone', { v: 1, tenant_id, erasure_id }, ERASURE_REPLY, ASK_MS);
  }

  async createTenant(tenant: TenantCreate): Promise<void> {
    await this.#retryUntilAnswered(() => this.#request('kernel.tenant.create', tenant, TenantCreateReply, ASK_MS));
  }

  async #ask<V extends KernelVerb>(
    verb: V,
    caller: KernelRequest<V>['caller'],
    request: RequestBody<V>,
    waitMs: number,
  ): Promise<KernelReply<V>> {
    return this.#request(`kernel.${verb}`, { v: 1, caller, ...request }, KERNEL_REPLIES[verb], waitMs) as Promise<
      KernelReply<V>
    >;
  }

  #remainingMs(deadline: number | null): number {
    return deadline === null ? ADMIT_MS : Math.min(ADMIT_MS, Math.max(ANSWER_MS, deadline - this.#now()));
  }

  /**
   * INVARIANT (never twice): after an attempt that the kernel may have handled, no fault says that nothing happened.
   */
  async #retryUntilAnswered<T>(send: () => Promise<T>): Promise<T> {
    let isUncertain = false;
    try {
      return await pRetry(send, {
        retries: ADMIT_RETRIES,
        minTimeout: 50,
        factor: 4,
        randomize: true,
        shouldRetry: ({ error }) => {
          const isOpen = error instanceof Fault && UNCERTAIN_FAULTS.has(error.code);
          isUncertain ||= isOpen;
          return isOpen;
        },
      });
    } catch (error) {
      const isUnanswered = error instanceof Fault && UNCERTAIN_FAULTS.has(error.code);
      const saysNothing = error instanceof Fault && isUncertain && FAULTS[error.code].retry === 'later';
      if (!isUnanswered && !saysNothing) throw error;
      throw new Fault(
        error.code === 'database.unavailable' ? error.code : 'bus.unreachable',
        'the kernel gives no answer',
        { cause: error },
      );
    }
  }

  async #request<S extends TSchema>(name: RequestName, request: object, schema: S, waitMs: number): Promise<Static<S>> {
    const deadline = this.#now() + waitMs;
    const names = ADDED.get(name) ?? [];
    const members = Object.entries(request);
    const known = Object.fromEntries(members.filter(([member]) => !names.includes(member)));
    const added = Object.fromEntries(members.filter(([member]) => names.includes(member)));
    const reply = await withAddedMembers(known, { ...READS.get(name), ...added }, (message) =>
      this.#bus.request(this.#subjects.request(name), message, { deadline }).catch((error: unknown) => {
        throw conditionRefused(error) ?? error;
      }),
    );
    try {
      return parseMessage(schema, reply);
    } catch (cause) {
      throw new Fault('internal', undefined, {
        cause: new Error(`the answer of \`${name}\` is not as agreed`, { cause }),
      });
    }
  }
}

/** Members with the condition of a change. A kernel of the version before refuses a request with one of them. */
const CONDITIONS: ReadonlySet<string> = new Set(['/if_match', '/if_absent']);

/** INVARIANT (no change without its condition): where the kernel can't compare, nothing is changed. */
function conditionRefused(error: unknown): Fault | null {
  if (!(error instanceof Fault) || error.code !== 'request.malformed' || !CONDITIONS.has(error.pointer ?? ''))
    return null;
  return new Fault(
    'overloaded',
    'a kernel of the version before answered, which can not compare `If-Match`; nothing was changed. Try again when the upgrade has ended',
    { cause: error },
  );
}
