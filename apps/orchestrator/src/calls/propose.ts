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
import { ARGUMENTS_ATTEMPT, KEY_BYTES, sealContent, sealedRef } from '@writ/sealing';
import { withSpan } from '@writ/telemetry';
import type { FullQueues } from '../edge/access/full-queues.ts';
import { Follow } from './follow.ts';
import { KernelClient } from './kernel/kernel-client.ts';
import type { ParsedCall } from './parsed-call.ts';

/** Whoever counts what is waited for elsewhere. */
export interface Waits {
  began(): void;
  ended(): void;
}

/** Long arguments where they are put, with what they are sealed under; or nothing, for such as travel along. */
type PutArguments = Required<Pick<AdmitRequest, 'args_ref' | 'args_key'>> | null;

/** How an answer to a proposal is waited for. */
export interface WaitOptions {
  readonly waitMs: number;
  /** aborts when the client went away */
  readonly gone: AbortSignal;
  /** told when a call is with the kernel, and when it is no more */
  readonly waits?: Waits;
}

/** One tool call, from the API to its answer. It is proposed, never decided or run here. */
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
   * The operation as it stands when it has ended, is held, or nobody waits any longer. Faults: `args.too_large`,
   * `bus.unreachable`, those of an admission.
   */
  async run(
    caller: Caller,
    operationId: OperationId,
    call: ParsedCall,
    waitOptions: WaitOptions,
  ): Promise<OperationView> {
    // Made-up tool ids must not become names of spans' attributes.
    const tool_id = TOOLS.has(call.tool_id) ? call.tool_id : 'unknown';
    return await withSpan('proposed', { operation_id: operationId, tool_id }, () =>
      this.#propose(caller, operationId, call, waitOptions),
    );
  }

  async #propose(
    caller: Caller,
    operation_id: OperationId,
    call: ParsedCall,
    { waitMs, gone, waits }: WaitOptions,
  ): Promise<OperationView> {
    const put = await this.#putLongArguments(caller, operation_id, call.args);
    // Before it is sent: what happens at once is heard too.
    const ear = this.#follow.listen(operation_id);
    waits?.began();
    try {
      const view = await this.#admit(
        caller,
        put === null ? { ...call, operation_id, args_ref: null } : { ...call, operation_id, args: null, ...put },
        waitMs,
      );
      if (view.state === 'held') return view;
      return await this.#untilSettled(caller, view, ear, waitMs, gone);
    } finally {
      waits?.ended();
      ear.stop();
    }
  }

  async #admit(caller: Caller, call: Omit<AdmitRequest, 'wait_ms'>, waitMs: number): Promise<OperationView> {
    try {
      return await this.#kernel.admit(call, waitMs);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === 'queue.full') this.#queues.note(call.tenant_id);
      // A bug may come after the decision is durable: then that stands, and the call may be running.
      const decided =
        error.code === 'internal'
          ? await this.#kernel.decided(caller, call.operation_id as OperationId).catch(() => null)
          : null;
      if (decided === null) throw error;
      return decided;
    }
  }

  /** A key that was used before names an earlier operation: that one is followed. */
  async #untilSettled(
    caller: Caller,
    view: OperationView,
    ear: ReturnType<Follow['listen']>,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<OperationView> {
    if (!view.replayed) return await this.#follow.untilSettled(caller, view, ear, waitMs, gone);
    const original = this.#follow.listen(view.operation_id);
    try {
      return await this.#follow.untilSettled(caller, view, original, waitMs, gone);
    } finally {
      original.stop();
    }
  }

  /**
   * Under a key that is drawn for them, since nobody has said yet under which the call is: the kernel seals it under
   * that one, and this process forgets it.
   */
  async #putLongArguments(
    { tenant_id }: Caller,
    operationId: OperationId,
    args: Readonly<Record<string, unknown>>,
  ): Promise<PutArguments> {
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
