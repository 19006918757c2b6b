// SPDX-License-Identifier: Apache-2.0
import type { OperationView } from '@writ/contract';
import { paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { callLine, endLine, indented } from './describe-call.ts';
import { replyLines } from './describe-reply.ts';
import type { ChatOutput } from './chat-output.ts';
import type { RunEvent, WrittenCall } from '../run-schemas.ts';

/**
 * Details of a call that the events don't have. Implementations MUST return null for what can't be read, and MUST NOT
 * throw.
 */
export interface CallDetails {
  readonly operation: (operationId: string) => Promise<OperationView | null>;
  /** the coloured diff of the workspace from before the call to after it; null for no change */
  readonly changes: (operation: OperationView) => Promise<string | null>;
}

/**
 * Shows a run as its events arrive. After a reconnect it repeats nothing. Text that was missed meanwhile is shown with
 * the complete reply.
 */
export class RunView {
  readonly #output: ChatOutput;
  readonly #details: CallDetails;
  readonly #isVerbose: () => boolean;
  /** the reply that is being streamed: its round, from 1, and the text shown so far */
  #round = 1;
  #shown = '';
  #calls: readonly WrittenCall[] = [];
  readonly #shownCalls = new Set<string>();
  /** the text of the last complete reply */
  lastText = '';

  constructor(page: ChatOutput, lookUp: CallDetails, isVerbose: () => boolean) {
    this.#output = page;
    this.#details = lookUp;
    this.#isVerbose = isVerbose;
  }

  async show(event: RunEvent): Promise<void> {
    switch (event.kind) {
      case 'text':
        return this.#streamed(event);
      case 'replied':
        return this.#replied(event);
      case 'explained':
        return this.#showComplete(event.turn.text);
      case 'started':
        return this.#started(event);
      case 'answered':
        return await this.#answered(event);
      case 'retry':
        this.#output.warn(paint.yellow(`the model failed (${visibleLine(event.fault)}) and is asked again`));
        this.#shown = '';
        return;
      case 'model_failed':
        return this.#output.warn(paint.red(`the model failed: ${visibleLine(`${event.fault}: ${event.message}`)}`));
      case 'compacted':
        return this.#output.note(paint.dim('older messages were summarized to shorten the context'));
      case 'cancelled':
        return this.#output.note(paint.yellow('cancelled'));
      case 'ended':
        return this.#output.endLine();
      default:
        return;
    }
  }

  #streamed({ round, text }: Extract<RunEvent, { kind: 'text' }>): void {
    if (round < this.#round) return;
    if (round > this.#round) this.#shown = '';
    this.#round = round;
    this.#shown += text;
    this.#output.text(text);
  }

  #replied({ turn }: Extract<RunEvent, { kind: 'replied' }>): void {
    this.#showComplete(turn.text);
    if (this.#isVerbose()) for (const line of replyLines(turn)) this.#output.note(line);
    this.#round += 1;
    this.#calls = turn.calls;
    this.lastText = turn.text;
  }

  #showComplete(text: string): void {
    // The complete reply is authoritative. Where it differs from the streamed text, it is shown again in full.
    if (text.startsWith(this.#shown)) this.#output.text(text.slice(this.#shown.length));
    else {
      this.#output.endLine();
      this.#output.text(text);
    }
    this.#output.endLine();
    this.#shown = '';
  }

  #started({ round, index, operation_id, tool_id }: Extract<RunEvent, { kind: 'started' }>): void {
    this.#showStart(round, index, tool_id);
    if (this.#isVerbose()) this.#output.note(paint.dim(`  operation ${visibleLine(operation_id)}`));
  }

  /**
   * Shows the line of a call once. A run that another process continues starts its calls again. A reader who connects
   * late gets no `started` event.
   */
  #showStart(round: number, index: number, toolId: string): void {
    const position = `${round}/${index}`;
    if (this.#shownCalls.has(position)) return;
    this.#shownCalls.add(position);
    this.#output.note(callLine(toolId, this.#calls[index]?.args ?? {}, this.#isVerbose()));
  }

  async #answered({ round, index, answer }: Extract<RunEvent, { kind: 'answered' }>): Promise<void> {
    const toolId = this.#calls[index]?.tool_id ?? 'a call';
    this.#showStart(round, index, toolId);
    const { operation_id: id } = answer;
    const operation = id === undefined ? null : await this.#details.operation(id);
    this.#output.note(endLine(operation?.tool_id ?? toolId, answer.standing, operation));
    const changes = operation === null ? null : await this.#details.changes(operation);
    if (changes !== null) this.#output.note(changes);
    if (this.#isVerbose()) this.#output.note(paint.dim(indented(answer.text)));
  }
}
