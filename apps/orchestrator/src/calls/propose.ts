// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { BlobStore } from '@writ/blobs';
import {
  Fault,
  LIMITS,
  TOOLS,
  type AdmitRequest,
  type Caller,
  type OperationId,
  type OperationView,
} from '@writ/contract';
import { schedulingClassOf } from '@writ/fairness';
import { ARGUMENTS_ATTEMPT, KEY_BYTES, sealContent, sealedRef } from '@writ/sealing';
import { withSpan } from '@writ/telemetry';
import type { FullQueues } from '../edge/access/full-queues.ts';
import { Follow } from './follow.ts';
import { KernelClient } from './kernel/kernel-client.ts';
import type { ParsedCall } from './parsed-call.ts';

/** An observer of the time that a call spends with the kernel. */
export interface WaitObserver {
  began(): void;
  ended(): void;
}

/** The reference and the key of stored long arguments; null for arguments that are sent inline. */
type StoredArguments = Required<Pick<AdmitRequest, 'args_ref' | 'args_key'>> | null;

/** How long to wait for the end of a proposed call. */
export interface WaitOptions {
  readonly waitMs: number;
  /** aborts when the client disconnects */
  readonly gone: AbortSignal;
  /** notified when a call is sent to the kernel, and when the wait for it ends */
  readonly waitObserver?: WaitObserver;
}

/** Proposes one tool call to the kernel and waits for its result. It decides and runs nothing itself. */
export class Propose {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;
  readonly #follow: Follow;
  readonly #queues: FullQueues;

  constructor(kernel: KernelClient, blobs: BlobStore, follow: Follow, queues: FullQueues) {
    this.#kernel = kernel;
    this.#blobs = blobs;
    this.#follow = follow;
    this.#queues = queues;
  }

  /**
   * The view of the operation when it has ended, is held, or the wait is over. Faults: `args.too_large`,
   * `bus.unreachable`, `queue.full`, those of an admission.
   */
  async run(
    caller: Caller,
    operationId: OperationId,
    call: ParsedCall,
    waitOptions: WaitOptions,
  ): Promise<OperationView> {
    // Unknown tool ids must not become attribute values of spans.
    const tool_id = TOOLS.has(call.tool_id) ? call.tool_id : 'unknown';
    return await withSpan('proposed', { operation_id: operationId, tool_id }, () =>
      this.#propose(caller, operationId, call, waitOptions),
    );
  }

  async #propose(
    caller: Caller,
    operation_id: OperationId,
    call: ParsedCall,
    { waitMs, gone, waitObserver }: WaitOptions,
  ): Promise<OperationView> {
    const schedulingClass = schedulingClassOf(call);
    // For interactive calls the guard of the API has asked, before their bodies were read.
    if (schedulingClass !== 'interactive') this.#queues.verifyNotFull(caller.tenant_id, schedulingClass);
    const stored = await this.#storeLongArguments(caller, operation_id, call.args);
    // Subscribes before the call is sent, so that no event is missed.
    const subscription = this.#follow.subscribe(operation_id);
    waitObserver?.began();
    try {
      const view = await this.#admit(
        caller,
        stored === null ? { ...call, operation_id, args_ref: null } : { ...call, operation_id, args: null, ...stored },
        waitMs,
      );
      if (view.state === 'held') return view;
      return await this.#untilSettled(caller, view, subscription, waitMs, gone);
    } finally {
      waitObserver?.ended();
      subscription.stop();
    }
  }

  async #admit(caller: Caller, call: Omit<AdmitRequest, 'wait_ms'>, waitMs: number): Promise<OperationView> {
    try {
      return await this.#kernel.admit(call, waitMs);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === 'queue.full') this.#queues.markFull(call.tenant_id, schedulingClassOf(call));
      // A bug may occur after the decision is durable: then the decision is valid, and the call may be running.
      const decided =
        error.code === 'internal'
          ? await this.#kernel.decided(caller, call.operation_id as OperationId).catch(() => null)
          : null;
      if (decided === null) throw error;
      return decided;
    }
  }

  /** An idempotency key that was used before belongs to an earlier operation; this waits for that one. */
  async #untilSettled(
    caller: Caller,
    view: OperationView,
    subscription: ReturnType<Follow['subscribe']>,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<OperationView> {
    if (!view.replayed) return await this.#follow.untilSettled(caller, view, subscription, waitMs, gone);
    const original = this.#follow.subscribe(view.operation_id);
    try {
      return await this.#follow.untilSettled(caller, view, original, waitMs, gone);
    } finally {
      original.stop();
    }
  }

  /**
   * Stores long arguments encrypted under a random key, because the call's content key is not known yet. The kernel
   * encrypts this key under the content key, and this process discards it.
   */
  async #storeLongArguments(
    { tenant_id }: Caller,
    operationId: OperationId,
    args: Readonly<Record<string, unknown>>,
  ): Promise<StoredArguments> {
    const bytes = Buffer.from(JSON.stringify(args), 'utf8');
    const { argsBytes, argsInlineBytes } = LIMITS;
    if (bytes.length > argsBytes.max) {
      throw new Fault(
        argsBytes.fault,
        `the arguments have ${bytes.length} bytes, ${argsBytes.max} are allowed; put larger contents into the workspace as files`,
        { pointer: '/args' },
      );
    }
    if (bytes.length <= argsInlineBytes.max) return null;
    const key = randomBytes(KEY_BYTES);
    const sealed = sealContent({ key, tenantId: tenant_id, operationId, attempt: ARGUMENTS_ATTEMPT }, 'args', bytes);
    return { args_ref: sealedRef(await this.#blobs.put(tenant_id, sealed)), args_key: key.toString('base64') };
  }
}
