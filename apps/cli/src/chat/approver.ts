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
import type { ChatOutput } from './chat-output.ts';
import type { HeldCall } from '../run-schemas.ts';
import type { Terminal, TypedInput } from './terminal-port.ts';

/** The pause between two polls for a preview, and their number: a container takes seconds to start. */
const POLL_MS = 500;
const POLLS_MAX = 60;

export interface ApproverOptions {
  /** with the key of the person who decides */
  readonly client: Client;
  readonly terminal: Terminal;
  readonly output: ChatOutput;
  /** called when the person presses ctrl-c at a question */
  readonly interrupt: () => void;
}

/** Asks a person about held calls, one after the other, until each is decided or withdrawn. */
export class Approver {
  readonly #options: ApproverOptions;
  #pendingQuestion: Promise<void> = Promise.resolve();
  #abort = new AbortController();

  constructor(options: ApproverOptions) {
    this.#options = options;
  }

  /** Queues a question behind the questions that are still open. */
  ask(held: HeldCall): void {
    const { signal } = this.#abort;
    this.#pendingQuestion = this.#pendingQuestion
      .then(async () => {
        if (!signal.aborted) await this.#decide(held, signal);
      })
      .catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        this.#options.output.warn(paint.red(`error ${error.code}: ${visibleLine(error.message)}`));
      });
  }

  /**
   * Withdraws all questions: the call was decided elsewhere, or the run is over. Resolves when the terminal is free.
   */
  async withdraw(): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    await this.#pendingQuestion;
  }

  async #decide(held: HeldCall, signal: AbortSignal): Promise<void> {
    const { client, output } = this.#options;
    const { approval_id } = await client.read(OperationView, `/v1/operations/${encodeURIComponent(held.operation_id)}`);
    if (approval_id === null) return;
    const approval = await this.#waitForPreview(approval_id, signal);
    if (signal.aborted || approval.state !== 'pending') return;
    output.note(paint.magenta(approval.of === 'value' ? 'the agent asks for a value' : 'a call waits for a person'));
    output.note(callLine(approval.tool_id, approval.args, false));
    for (const { message } of approval.reasons) output.note(`  ${visibleLine(message)}`);
    if (approval.of === 'value') return await this.#supplyValue(approval, signal);
    const diff = approval.preview.changes === null ? null : await client.read(ApprovalDiff, `${pathOf(approval)}/diff`);
    if (diff !== null) output.note(describeDiff(diff));
    await this.#vote(approval, signal);
  }

  /** The approval, once its preview has ended or the polls are used up. The person approves what they see then. */
  async #waitForPreview(approvalId: string, signal: AbortSignal): Promise<ApprovalView> {
    for (let pollsLeft = POLLS_MAX; ; pollsLeft -= 1) {
      const approval = await this.#options.client.read(ApprovalView, `/v1/approvals/${encodeURIComponent(approvalId)}`);
      const isComing = approval.preview.state === 'waiting' || approval.preview.state === 'running';
      if (!isComing || pollsLeft === 0 || signal.aborted || approval.state !== 'pending') return approval;
      await delay(POLL_MS);
    }
  }

  async #vote(approval: ApprovalView, signal: AbortSignal): Promise<void> {
    const { terminal, output } = this.#options;
    for (;;) {
      const key = this.#textOf(
        await terminal.readKey(
          `${paint.bold('a')}pprove, ${paint.bold('d')}eny, ${paint.bold('s')}how all, ${paint.bold('l')}eave it waiting? `,
          { signal },
        ),
      );
      if (key === null || key === 'l') return;
      if (key === 's') output.note(describe(approval));
      // The approval covers the effect that was shown, and no other.
      if (key === 'a')
        return await this.#sendDecision(
          approval,
          'approve',
          approval.binding.effect_digest === null ? {} : { effect_digest: approval.binding.effect_digest },
        );
      if (key !== 'd') continue;
      const comment = this.#textOf(await terminal.readLine('why (the agent receives it; may be empty): ', { signal }));
      if (comment !== null) return await this.#sendDecision(approval, 'deny', comment === '' ? {} : { comment });
    }
  }

  async #supplyValue(approval: ApprovalView, signal: AbortSignal): Promise<void> {
    const { key, reason, secret } = approval.args as {
      readonly key?: unknown;
      readonly reason?: unknown;
      readonly secret?: unknown;
    };
    this.#options.output.note(`  ${paint.dim('it says:')} ${visibleLine(String(reason))}`);
    const hidden = secret !== false;
    const value = this.#textOf(
      await this.#options.terminal.readLine(
        `${visibleLine(String(key))} (${hidden ? 'not shown' : 'shown to the model'}; empty denies): `,
        { hidden, signal },
      ),
    );
    if (value === null) return;
    await (value === ''
      ? this.#sendDecision(approval, 'deny', {})
      : this.#sendDecision(approval, 'value', { value, scope: 'once' }));
  }

  async #sendDecision(approval: ApprovalView, verb: 'approve' | 'deny' | 'value', body: object): Promise<void> {
    const operation = await this.#options.client.read(OperationView, `${pathOf(approval)}/${verb}`, {
      method: 'POST',
      body,
    });
    const votes: VoteCount | undefined = operation.state === 'held' ? operation.votes : undefined;
    this.#options.output.note(
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

  /** The text that the person typed; null where the question was interrupted or withdrawn. */
  #textOf(typed: TypedInput): string | null {
    if (typed.kind === 'interrupt') this.#options.interrupt();
    return typed.kind === 'text' ? typed.text : null;
  }
}

const pathOf = ({ approval_id }: ApprovalView): string => `/v1/approvals/${encodeURIComponent(approval_id)}`;
