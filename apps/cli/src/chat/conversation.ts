// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { CliError } from '../cli-error.ts';
import type { Client } from '../http/client.ts';
import { paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { Approver } from './approver.ts';
import { followRun } from '../follow-run.ts';
import { lookUpBy } from './look-up.ts';
import type { Page } from './page.ts';
import { ChatRun, type ChatSession, type HeldCall, type RunEvent } from '../run-shapes.ts';
import { RunView } from './run-view.ts';
import type { Terminal } from './terminal-port.ts';

export interface RunBounds {
  readonly rounds_max?: number | undefined;
  readonly tokens_max?: number | undefined;
  readonly cost_max?: number | undefined;
}

export interface ConversationOptions {
  /** with the key that sends what is typed, and with that of who decides what waits */
  readonly speaker: Client;
  readonly decider: Client;
  readonly session: ChatSession;
  readonly bounds: RunBounds;
  readonly page: Page;
  /** null where nobody can be asked */
  readonly terminal: Terminal | null;
  readonly isVerbose: () => boolean;
  /** registers what ctrl-c does; the answer takes it back */
  readonly onInterrupt: (heard: () => void) => () => void;
  /** where nobody can be asked: whether the run is followed on while a call waits */
  readonly waits: boolean;
}

/** How a run ended, or that it waits and nobody here can be asked. */
export interface Turn {
  readonly run: ChatRun;
  readonly text: string;
}

/** Sends messages into a session and shows what becomes of each. */
export class Conversation {
  readonly #options: ConversationOptions;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /**
   * Runs the agent on a message, up to the end of the run. Ctrl-c cancels the run, and this resolves when it has ended.
   */
  async send(input: string): Promise<Turn> {
    const { speaker, decider, session, bounds, page, isVerbose, onInterrupt } = this.#options;
    const body = { input, idempotency_key: `chat-${randomUUID()}`, ...bounds };
    const { run_id } = await speaker.read(ChatRun, `/v1/sessions/${encodeURIComponent(session.session_id)}/runs`, {
      method: 'POST',
      body,
    });
    const interrupt = this.#canceller(run_id);
    const view = new RunView(page, lookUpBy(decider), isVerbose);
    const approver = this.#approver(interrupt);
    const forget = onInterrupt(interrupt);
    try {
      for await (const event of followRun(speaker, run_id)) {
        await view.show(event);
        if (event.kind === 'held' && !this.#waitsFor(event.held, approver)) break;
        if (isDecision(event)) await approver?.withdraw();
      }
    } finally {
      forget();
      await approver?.withdraw();
      page.settle();
    }
    const run = await speaker.read(ChatRun, `/v1/runs/${encodeURIComponent(run_id)}`);
    this.#tellEnd(run);
    return { run, text: view.lastText };
  }

  #approver(interrupt: () => void): Approver | null {
    const { decider, terminal, page } = this.#options;
    return terminal === null ? null : new Approver({ client: decider, terminal, page, interrupt });
  }

  /** Whether there is a reason to go on while the call waits. */
  #waitsFor(held: HeldCall, approver: Approver | null): boolean {
    const { page, waits } = this.#options;
    if (held.waits_for === 'run') {
      page.warn(`a sub-agent works on it: run ${visibleLine(held.run_id ?? '')}`);
      return true;
    }
    if (approver !== null) approver.ask(held);
    else
      page.warn(
        `operation ${visibleLine(held.operation_id)} waits for ${held.waits_for === 'value' ? 'a value' : 'a person'}; writ approvals`,
      );
    return approver !== null || waits;
  }

  /** Asks for the end of the run, once: what it does then comes as events. */
  #canceller(runId: string): () => void {
    const { speaker, page } = this.#options;
    let isAsked = false;
    return () => {
      if (isAsked) return;
      isAsked = true;
      page.note(paint.yellow('cancelling the run'));
      speaker
        .ask(`/v1/runs/${encodeURIComponent(runId)}/cancel`, { method: 'POST', body: {} })
        .catch((error: unknown) => {
          // It may have ended meanwhile; where it hasn't, the next ctrl-c asks again.
          isAsked = false;
          if (!(error instanceof CliError && error.code === 'conflict'))
            page.warn(
              paint.red(
                `the run could not be cancelled: ${error instanceof Error ? visibleLine(error.message) : 'unknown'}`,
              ),
            );
        });
    };
  }

  #tellEnd({ stopped, error, rounds, input_tokens, output_tokens }: ChatRun): void {
    const { page, isVerbose } = this.#options;
    const why = stopped === null ? null : WHY_STOPPED[stopped];
    if (why !== null && why !== undefined)
      page.warn(paint.yellow(`${why}${error === null ? '' : `: ${visibleLine(`${error.fault}: ${error.message}`)}`}`));
    if (isVerbose()) page.note(paint.dim(`${rounds} rounds, ${input_tokens} tokens in, ${output_tokens} out`));
  }
}

/** After these nobody is to be asked about what was held before. */
const isDecision = ({ kind }: RunEvent): boolean => kind === 'resumed' || kind === 'cancelled' || kind === 'ended';

/** What a person is told of a run that did not come to its own end. */
const WHY_STOPPED: Readonly<Record<string, string>> = {
  limit: 'stopped: as many rounds as the run may have',
  length: 'stopped: the reply was cut off by its length',
  refusal: 'the model refused',
  malformed: "stopped: the model's calls could not be read",
  budget: 'stopped: the budget is used up',
  cancelled: 'the run was cancelled',
  model_failed: 'stopped: the model failed',
  failed: 'the run failed',
};
