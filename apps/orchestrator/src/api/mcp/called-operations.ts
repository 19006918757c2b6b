// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Caller, type OperationView } from '@writ/contract';
import type { CallToolParts } from './call-context.ts';
import type { McpAccess } from './access.ts';

/** The operations of calls: reads them, waits for their ends and cancels them. */
export class CalledOperations {
  readonly #parts: Pick<CallToolParts, 'kernel' | 'follow' | 'show'>;

  constructor(parts: Pick<CallToolParts, 'kernel' | 'follow' | 'show'>) {
    this.#parts = parts;
  }

  async read(caller: Caller, operation_id: string): Promise<OperationView> {
    return await this.shown(caller, await this.#parts.kernel.ask('operation.read', caller, { operation_id }));
  }

  /** The client's view of the operation: with links, and with its result inlined. */
  shown(caller: Caller, view: OperationView): Promise<OperationView> {
    return this.#parts.show.view(caller, view);
  }

  /** As `settled`, in the client's view. */
  async waited(access: McpAccess, view: OperationView, waitMs: number): Promise<OperationView> {
    return await this.shown(access.caller, await this.settled(access, view, waitMs));
  }

  /** The kernel's view of the operation once it has ended, once it is newly held, or after `waitMs`. */
  async settled({ caller, gone }: McpAccess, view: OperationView, waitMs: number): Promise<OperationView> {
    if (isFinal(view.state)) return view;
    const { follow } = this.#parts;
    const subscription = follow.subscribe(view.operation_id);
    try {
      return await follow.untilSettled(caller, view, subscription, waitMs, gone);
    } finally {
      subscription.stop();
    }
  }

  /** Cancels the operation of a closed request, unless its effect has begun. Nobody reads the answer. */
  async cancelled(caller: Caller, view: OperationView): Promise<OperationView> {
    if (isFinal(view.state) || view.replayed) return view;
    try {
      return await this.#parts.kernel.ask('operation.cancel', caller, { operation_id: view.operation_id });
    } catch (error) {
      if (error instanceof Fault) return view;
      throw error;
    }
  }
}
