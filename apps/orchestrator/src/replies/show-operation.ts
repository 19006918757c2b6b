// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { Fault, type Caller, type OperationView, type ToolResult } from '@writ/contract';
import { parseIJson } from '@writ/digest';

/** A result by reference is put into the answer up to this size; a longer one stays a reference. */
const RESULT_INLINE_MAX = 1024 * 1024;
/** Results are tools' own and as deep as what they read. */
const RESULT_DEPTH_MAX = 64;

/** Where the receipt of an operation is. */
export const receiptHref = (operationId: string): string => `/v1/operations/${operationId}/receipt`;

/** Turns what the kernel says of an operation into what a client gets: links under this API, results in the answer. */
export class ShowOperation {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
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

  async #content({ tenant_id }: Caller, { result, result_ref }: ToolResult): Promise<unknown> {
    if (result_ref === null || (result !== null && result !== undefined) || result_ref.size > RESULT_INLINE_MAX) return result ?? null;
    const bytes = await this.#blobs.get(tenant_id, result_ref.sha256);
    try {
      return parseIJson(bytes, { depthMax: RESULT_DEPTH_MAX });
    } catch (cause) {
      throw new Fault('internal', undefined, { cause });
    }
  }
}

function withLink(result: ToolResult): ToolResult {
  return { ...result, receipt: result.receipt && { ...result.receipt, href: receiptHref(result.operation_id) } };
}
