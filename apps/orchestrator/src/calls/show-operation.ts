// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { Fault, type Caller, type OperationView, type ToolResult } from '@writ/contract';
import { openContent } from '@writ/sealing';
import type { KernelClient } from './kernel/kernel-client.ts';
import type { JsonText } from '../edge/requests/read-body.ts';
import { READ_JSON } from '../edge/work/tasks.ts';
import type { WorkerTasks } from '../edge/work/worker-tasks.ts';

/** A result by reference is put into the answer up to this size; a longer one stays a reference. */
const RESULT_INLINE_MAX = 1024 * 1024;
/** Results are tools' own and as deep as what they read. */
const RESULT_DEPTH_MAX = 64;

/** Where the receipt of an operation is. */
export const receiptHref = (operationId: string): string => `/v1/operations/${operationId}/receipt`;

/** Turns what the kernel says of an operation into what a client gets: links under this API, results in the answer. */
export class ShowOperation {
  readonly #blobs: BlobStore;
  readonly #kernel: KernelClient;
  readonly #tasks: WorkerTasks;

  constructor(blobs: BlobStore, kernel: KernelClient, tasks: WorkerTasks) {
    this.#blobs = blobs;
    this.#kernel = kernel;
    this.#tasks = tasks;
  }

  /** As it is, with links under this API. */
  static linked(view: OperationView): OperationView {
    return view.result === null ? view : { ...view, result: withLink(view.result) };
  }

  async view(caller: Caller, view: OperationView): Promise<OperationView> {
    return view.result === null ? view : { ...view, result: await this.result(caller, view.result) };
  }

  /** Fault `internal` where a stored result can't be read. */
  async result(caller: Caller, result: ToolResult): Promise<ToolResult> {
    return { ...withLink(result), result: await this.#content(caller, result) };
  }

  /**
   * INVARIANT (no key in an answer): what opens a long result comes in an answer of its own and is used here; no view
   * that goes on to a client ever had it. Null once the result was erased.
   */
  async #content(caller: Caller, { operation_id, result, result_ref }: ToolResult): Promise<unknown> {
    if (result_ref === null || (result !== null && result !== undefined) || result_ref.size > RESULT_INLINE_MAX)
      return result ?? null;
    const { ref, opens } = await this.#kernel.ask('operation.result', caller, { operation_id });
    if (ref === null) return null;
    const stored = await this.#blobs.get(caller.tenant_id, ref.sha256);
    const bytes =
      opens === null
        ? stored
        : openContent(
            {
              key: Buffer.from(opens.key, 'base64'),
              tenantId: caller.tenant_id,
              operationId: operation_id,
              attempt: opens.attempt,
            },
            'result',
            stored,
          );
    return await this.#read(caller, { bytes, depthMax: RESULT_DEPTH_MAX });
  }

  /**
   * In a worker thread: what a result holds is up to the files that it was read from. One of too many values stays a
   * reference.
   */
  async #read({ tenant_id }: Caller, text: JsonText): Promise<unknown> {
    try {
      return await this.#tasks.run(READ_JSON, tenant_id, text);
    } catch (error) {
      if (error instanceof Fault && (error.code === 'request.too_large' || error.code === 'limit.exceeded'))
        return null;
      if (error instanceof Fault && error.code === 'overloaded') throw error;
      throw new Fault('internal', undefined, { cause: error });
    }
  }
}

function withLink(result: ToolResult): ToolResult {
  return { ...result, receipt: result.receipt && { ...result.receipt, href: receiptHref(result.operation_id) } };
}
