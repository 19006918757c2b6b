// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { COMMAND_OUTPUT_BYTES, Fault, type Caller, type OperationView, type ToolResult } from '@writ/contract';
import { openContent } from '@writ/sealing';
import type { KernelClient } from './kernel/kernel-client.ts';
import type { JsonText } from '../edge/requests/read-body.ts';
import { READ_JSON } from '../edge/work/edge-tasks.ts';
import type { WorkerTasks } from '../edge/work/worker-tasks.ts';

/**
 * A result by reference is put into the answer up to this size, in bytes: the most output of a command, with some
 * escapes. A longer one stays a reference, since the answer is serialized on the event loop.
 */
const RESULT_INLINE_MAX = 2 * COMMAND_OUTPUT_BYTES.max;
/** Depth limit of results, which tools define and which may be as deep as the files they read. */
const RESULT_DEPTH_MAX = 64;

/** The path of an operation's receipt. */
export const receiptHref = (operationId: string): string => `/v1/operations/${operationId}/receipt`;

/** Converts the kernel's view of an operation into the client's view, with links to this API and inlined results. */
export class ShowOperation {
  readonly #blobs: BlobStore;
  readonly #kernel: KernelClient;
  readonly #tasks: WorkerTasks;

  constructor(blobs: BlobStore, kernel: KernelClient, tasks: WorkerTasks) {
    this.#blobs = blobs;
    this.#kernel = kernel;
    this.#tasks = tasks;
  }

  /** The view with links to this API, without inlining results. */
  static withLinks(view: OperationView): OperationView {
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
   * INVARIANT (no key in an answer): the key of a long result arrives in a separate reply and is used only here; no
   * view that is sent to a client ever contains it. Null once the result was erased.
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
   * Parses in a worker thread, because files that callers control determine the result's size. A result with too many
   * values stays a reference.
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
