// SPDX-License-Identifier: Apache-2.0
import { PRINCIPALS_MAX, type ApprovalView, type Caller } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { OtherNames } from '../../calls/other-names.ts';
import type { TraceStart } from './trace-start.ts';

/** Reads one approval, with what its caller may decide and who began the work. */
export class ReadApproval {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #names: Pick<OtherNames, 'of'>;
  readonly #starts: Pick<TraceStart, 'of'>;

  constructor(kernel: Pick<KernelClient, 'ask'>, names: Pick<OtherNames, 'of'>, starts: Pick<TraceStart, 'of'>) {
    this.#kernel = kernel;
    this.#names = names;
    this.#starts = starts;
  }

  async read(caller: Caller, approvalId: string): Promise<ApprovalView> {
    const { started_by, ...approval } = await this.#ask(caller, approvalId);
    // A kernel of the version before doesn't tell it.
    if (started_by === undefined) return approval;
    return { ...approval, started_by: await this.#starts.of(caller.tenant_id, started_by) };
  }

  /**
   * The kernel takes `PRINCIPALS_MAX` names and refuses a decision with more. INVARIANT (no answer for fewer names):
   * whoever has more receives nothing about what they may decide.
   */
  async #ask(caller: Caller, approval_id: string): Promise<ApprovalView> {
    const known = await this.#names.of(caller);
    if ((known.other_names?.length ?? 0) <= PRINCIPALS_MAX)
      return await this.#kernel.ask('approval.read', caller, { approval_id, ...known });
    const { you: _, ...approval } = await this.#kernel.ask('approval.read', caller, { approval_id });
    return approval;
  }
}
