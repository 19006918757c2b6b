// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { ApprovalDiff, ApprovalView, OperationView, type VoteCount } from '@writ/contract';
import { describe, describeDiff } from '../describe-approval.ts';
import { CliError } from '../cli-error.ts';
import { votesOf } from '../describe-result.ts';
import type { Client } from '../http/client.ts';
import { paint } from '../terminal.ts';
import { visible, visibleLine } from '../visible.ts';
import { callLine } from './describe-call.ts';
import type { Page } from './page.ts';
import type { HeldCall } from '../run-shapes.ts';
import type { Terminal, Typed } from './terminal-port.ts';

/** Between two looks at a preview that isn't there yet, and how many: a container that starts takes seconds. */
const LOOK_MS = 500;
const LOOKS_MAX = 60;

export interface ApproverOptions {
  /** with the key of who decides */
  readonly client: Client;
  readonly terminal: Terminal;
  readonly page: Page;
  /** told of ctrl-c at a question */
  readonly interrupt: () => void;
}

/** Asks a person about calls that wait, one after the other, until they are decided or nobody waits any more. */
export class Approver {
  readonly #options: ApproverOptions;
  #asked: Promise<void> = Promise.resolve();
  #gone = new AbortController();

  constructor(options: ApproverOptions) {
    this.#options = options;
  }

  /** Asks when what was asked before is decided. */
  ask(held: HeldCall): void {
    const { signal } = this.#gone;
    this.#asked = this.#asked
      .then(async () => {
        if (!signal.aborted) await this.#decide(held, signal);
      })
      .catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        this.#options.page.warn(paint.red(`error ${error.code}: ${visibleLine(error.message)}`));
      });
  }

  /** Takes back what is asked: it was decided, or the run is over. Resolves when the terminal is free. */
  async withdraw(): Promise<void> {
    this.#gone.abort();
    this.#gone = new AbortController();
    await this.#asked;
  }

  async #decide(held: HeldCall, signal: AbortSignal): Promise<void> {
    const { client, page } = this.#options;
    const { approval_id } = await client.read(OperationView, `/v1/operations/${encodeURIComponent(held.operation_id)}`);
    if (approval_id === null) return;
    const approval = await this.#previewed(approval_id, signal);
    if (signal.aborted || approval.state !== 'pending') return;
    page.note(paint.magenta(approval.of === 'value' ? 'the agent asks for a value' : 'a call waits for a person'));
    page.note(callLine(approval.tool_id, approval.args, false));
    for (const { message } of approval.reasons) page.note(`  ${visibleLine(message)}`);
    if (approval.of === 'value') return await this.#give(approval, signal);
    const diff = approval.preview.changes === null ? null : await client.read(ApprovalDiff, `${pathOf(approval)}/diff`);
    if (diff !== null) page.note(describeDiff(diff));
    await this.#vote(approval, signal);
  }

  /** The approval, once its preview has ended or enough time has passed: what is shown is what a yes is for. */
  async #previewed(approvalId: string, signal: AbortSignal): Promise<ApprovalView> {
    for (let looks = LOOKS_MAX; ; looks -= 1) {
      const approval = await this.#options.client.read(ApprovalView, `/v1/approvals/${encodeURIComponent(approvalId)}`);
      const isComing = approval.preview.state === 'waiting' || approval.preview.state === 'running';
      if (!isComing || looks === 0 || signal.aborted || approval.state !== 'pending') return approval;
      await delay(LOOK_MS);
    }
  }

  async #vote(approval: ApprovalView, signal: AbortSignal): Promise<void> {
    const { terminal, page } = this.#options;
    for (;;) {
      const key = this.#heard(
        await terminal.readKey(
          `${paint.bold('a')}pprove, ${paint.bold('d')}eny, ${paint.bold('s')}how all, ${paint.bold('l')}eave it waiting? `,
          { signal },
        ),
      );
      if (key === null || key === 'l') return;
      if (key === 's') page.note(describe(approval));
      // A yes is of the effect that was shown, and of no other.
      if (key === 'a')
        return await this.#said(
          approval,
          'approve',
          approval.binding.effect_digest === null ? {} : { effect_digest: approval.binding.effect_digest },
        );
      if (key !== 'd') continue;
      const comment = this.#heard(await terminal.readLine('why (the agent is told; may be empty): ', { signal }));
      if (comment !== null) return await this.#said(approval, 'deny', comment === '' ? {} : { comment });
    }
  }

  async #give(approval: ApprovalView, signal: AbortSignal): Promise<void> {
    const { key, reason, secret } = approval.args as {
      readonly key?: unknown;
      readonly reason?: unknown;
      readonly secret?: unknown;
    };
    this.#options.page.note(`  ${paint.dim('it says:')} ${visibleLine(String(reason))}`);
    const hidden = secret !== false;
    const value = this.#heard(
      await this.#options.terminal.readLine(
        `${visibleLine(String(key))} (${hidden ? 'not shown' : 'shown to the model'}; empty denies): `,
        { hidden, signal },
      ),
    );
    if (value === null) return;
    await (value === '' ? this.#said(approval, 'deny', {}) : this.#said(approval, 'value', { value, scope: 'once' }));
  }

  async #said(approval: ApprovalView, verb: 'approve' | 'deny' | 'value', body: object): Promise<void> {
    const operation = await this.#options.client.read(OperationView, `${pathOf(approval)}/${verb}`, {
      method: 'POST',
      body,
    });
    const votes: VoteCount | undefined = operation.state === 'held' ? operation.votes : undefined;
    this.#options.page.note(
      visible(
        verb === 'deny'
          ? 'denied'
          : verb === 'value'
            ? 'given'
            : votes === undefined
              ? 'approved'
              : `approved, ${votesOf(votes)}`,
      ),
    );
  }

  /** What was typed; null where nothing more is to be asked. */
  #heard(typed: Typed): string | null {
    if (typed.kind === 'interrupt') this.#options.interrupt();
    return typed.kind === 'text' ? typed.text : null;
  }
}

const pathOf = ({ approval_id }: ApprovalView): string => `/v1/approvals/${encodeURIComponent(approval_id)}`;
