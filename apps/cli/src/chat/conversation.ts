// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { CliError } from '../cli-error.ts';
import type { Client } from '../http/client.ts';
import { paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { Approver } from './approver.ts';
import { followRun } from '../follow-run.ts';
import { readDetailsWith } from './call-details.ts';
import type { ChatOutput } from './chat-output.ts';
import { ChatRun, type ChatSession, type HeldCall, type RunEvent } from '../run-schemas.ts';
import { RunView } from './run-view.ts';
import type { Terminal } from './terminal-port.ts';

export interface RunBounds {
  readonly rounds_max?: number | undefined;
  readonly tokens_max?: number | undefined;
  readonly cost_max?: number | undefined;
}

export interface ConversationOptions {
  /** the first with the key that sends messages, the second with the key that decides on held calls */
  readonly client: Client;
  readonly deciderClient: Client;
  readonly session: ChatSession;
  readonly bounds: RunBounds;
  readonly output: ChatOutput;
  /** null where there is no person at a terminal */
  readonly terminal: Terminal | null;
  readonly isVerbose: () => boolean;
  /** registers a handler of ctrl-c; the returned function removes it */
  readonly onInterrupt: (handler: () => void) => () => void;
  /** without a terminal: whether to keep following the run while a call is held */
  readonly waitsWhileHeld: boolean;
}

/** How a run ended, or that a call is held and there is nobody here to decide. */
export interface RunOutcome {
  readonly run: ChatRun;
  readonly text: string;
}

/** Sends messages into a session and shows the run of each. */
export class Conversation {
  readonly #options: ConversationOptions;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /**
   * Runs the agent on a message, up to the end of the run. Ctrl-c cancels the run, and this resolves when it has ended.
   */
  async send(input: string): Promise<RunOutcome> {
    const { client, deciderClient, session, bounds, output, isVerbose, onInterrupt } = this.#options;
    const body = { input, idempotency_key: `chat-${randomUUID()}`, ...bounds };
    const { run_id } = await client.read(ChatRun, `/v1/sessions/${encodeURIComponent(session.session_id)}/runs`, {
      method: 'POST',
      body,
    });
    const interrupt = this.#cancelOnce(run_id);
    const view = new RunView(output, readDetailsWith(deciderClient), isVerbose);
    const approver = this.#approver(interrupt);
    const removeHandler = onInterrupt(interrupt);
    try {
      for await (const event of followRun(client, run_id)) {
        await view.show(event);
        if (event.kind === 'held' && !this.#keepsFollowing(event.held, approver)) break;
        if (isDecision(event)) await approver?.withdraw();
      }
    } finally {
      removeHandler();
      await approver?.withdraw();
      output.endLine();
    }
    const run = await client.read(ChatRun, `/v1/runs/${encodeURIComponent(run_id)}`);
    this.#printEnd(run);
    return { run, text: view.lastText };
  }

  #approver(interrupt: () => void): Approver | null {
    const { deciderClient, terminal, output } = this.#options;
    return terminal === null ? null : new Approver({ client: deciderClient, terminal, output, interrupt });
  }

  /** Whether to keep following the run while the call is held. */
  #keepsFollowing(held: HeldCall, approver: Approver | null): boolean {
    const { output, waitsWhileHeld } = this.#options;
    if (held.waits_for === 'run') {
      output.warn(`a sub-agent works on it: run ${visibleLine(held.run_id ?? '')}`);
      return true;
    }
    if (approver !== null) approver.ask(held);
    else
      output.warn(
        `operation ${visibleLine(held.operation_id)} waits for ${held.waits_for === 'value' ? 'a value' : 'a person'}; writ approvals`,
      );
    return approver !== null || waitsWhileHeld;
  }

  /** Requests the cancellation of the run, once. Its effects arrive as events. */
  #cancelOnce(runId: string): () => void {
    const { client, output } = this.#options;
    let isRequested = false;
    return () => {
      if (isRequested) return;
      isRequested = true;
      output.note(paint.yellow('cancelling the run'));
      client
        .request(`/v1/runs/${encodeURIComponent(runId)}/cancel`, { method: 'POST', body: {} })
        .catch((error: unknown) => {
          // The run may have ended meanwhile. Otherwise the next ctrl-c requests it again.
          isRequested = false;
          if (!(error instanceof CliError && error.code === 'conflict'))
            output.warn(
              paint.red(
                `the run could not be cancelled: ${error instanceof Error ? visibleLine(error.message) : 'unknown'}`,
              ),
            );
        });
    };
  }

  #printEnd({ stopped, error, rounds, input_tokens, output_tokens }: ChatRun): void {
    const { output, isVerbose } = this.#options;
    const why = stopped === null ? null : STOP_MESSAGES[stopped];
    if (why !== null && why !== undefined)
      output.warn(
        paint.yellow(`${why}${error === null ? '' : `: ${visibleLine(`${error.fault}: ${error.message}`)}`}`),
      );
    if (isVerbose()) output.note(paint.dim(`${rounds} rounds, ${input_tokens} tokens in, ${output_tokens} out`));
  }
}

/** After one of these events, open questions about held calls are obsolete. */
const isDecision = ({ kind }: RunEvent): boolean => kind === 'resumed' || kind === 'cancelled' || kind === 'ended';

/** The message for each way a run can end other than by the model. */
const STOP_MESSAGES: Readonly<Record<string, string>> = {
  limit: 'stopped: as many rounds as the run may have',
  length: 'stopped: the reply was cut off by its length',
  refusal: 'the model refused',
  malformed: "stopped: the model's calls could not be read",
  budget: 'stopped: the budget is used up',
  cancelled: 'the run was cancelled',
  model_failed: 'stopped: the model failed',
  failed: 'the run failed',
};
