// SPDX-License-Identifier: Apache-2.0
import type { Caller, StoredResult, TextErasureOrder } from '@writ/contract';

export type Handler = (caller: Caller, request: Record<string, unknown>) => unknown;

/** The state of a fake kernel, and the handlers that answer from it. */
export interface FakeKernelState {
  readonly handlers: Map<string, Handler>;
  /** the hash of the root node of a workspace with nothing in it */
  readonly emptySnapshot: string;
  /** orders to erase texts of sessions */
  readonly orders: TextErasureOrder[];
  /** the key of long results; null: they are not encrypted */
  readonly opens: StoredResult['opens'];
  /** The view of an object of the tenant; missing and foreign objects give the same fault. */
  find(caller: Caller | null, id: unknown): unknown;
  keep<T>(tenantId: string, id: string, kind: string, view: T): T;
  /** All objects of the verb's kind. */
  all(caller: Caller | null, verb: string): unknown[];
}
