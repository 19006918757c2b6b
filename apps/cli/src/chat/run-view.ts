// SPDX-License-Identifier: Apache-2.0
import type { OperationView } from '@writ/contract';
import { paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { callLine, endLine, indented } from './describe-call.ts';
import type { Page } from './page.ts';
import type { RunEvent, WrittenCall } from '../run-shapes.ts';

/**
 * What is known of a call beside the events. Implementations MUST answer null for what can't be read, and MUST NOT
 * throw.
 */
export interface LookUp {
  readonly operation: (operationId: string) => Promise<OperationView | null>;
  /** what the workspace shows from before the call to after it, painted; null for nothing */
  readonly changes: (operation: OperationView) => Promise<string | null>;
}

/**
 * Shows a run as its events come. Nothing is shown twice where a connection broke, and what a piece of text missed
 * comes with its whole.
 */
export class RunView {
  readonly #page: Page;
  readonly #lookUp: LookUp;
  readonly #isVerbose: () => boolean;
  /** of the reply that streams: its round, from one on, and what was shown of it */
  #round = 1;
  #shown = '';
  #calls: readonly WrittenCall[] = [];
  readonly #begunCalls = new Set<string>();
  /** the text of the last reply that is whole */
  lastText = '';

  constructor(page: Page, lookUp: LookUp, isVerbose: () => boolean) {
    this.#page = page;
    this.#lookUp = lookUp;
    this.#isVerbose = isVerbose;
  }

  async show(event: RunEvent): Promise<void> {
    switch (event.kind) {
      case 'text':
        return this.#streamed(event);
      case 'replied':
        return this.#replied(event);
      case 'explained':
        return this.#whole(event.turn.text);
      case 'started':
        return this.#started(event);
      case 'answered':
        return await this.#answered(event);
      case 'retry':
        this.#page.warn(paint.yellow(`the model failed (${visibleLine(event.fault)}) and is asked again`));
        this.#shown = '';
        return;
      case 'model_failed':
        return this.#page.warn(paint.red(`the model failed: ${visibleLine(`${event.fault}: ${event.message}`)}`));
      case 'compacted':
        return this.#page.note(paint.dim('what was said first was summed up, to make room'));
      case 'cancelled':
        return this.#page.note(paint.yellow('cancelled'));
      case 'ended':
        return this.#page.settle();
      default:
        return;
    }
  }

  #streamed({ round, text }: Extract<RunEvent, { kind: 'text' }>): void {
    if (round < this.#round) return;
    if (round > this.#round) this.#shown = '';
    this.#round = round;
    this.#shown += text;
    this.#page.say(text);
  }

  #replied({ turn }: Extract<RunEvent, { kind: 'replied' }>): void {
    this.#whole(turn.text);
    this.#round += 1;
    this.#calls = turn.calls;
    this.lastText = turn.text;
  }

  #whole(text: string): void {
    // What is whole is what counts: where it isn't what streamed, it is shown anew.
    if (text.startsWith(this.#shown)) this.#page.say(text.slice(this.#shown.length));
    else {
      this.#page.settle();
      this.#page.say(text);
    }
    this.#page.settle();
    this.#shown = '';
  }

  #started({ round, index, operation_id, tool_id }: Extract<RunEvent, { kind: 'started' }>): void {
    this.#begun(round, index, tool_id);
    if (this.#isVerbose()) this.#page.note(paint.dim(`  operation ${visibleLine(operation_id)}`));
  }

  /**
   * The line of a call, once: whoever goes on with a run asks for its calls again, and a reader who wasn't there hears
   * of none that started.
   */
  #begun(round: number, index: number, toolId: string): void {
    const place = `${round}/${index}`;
    if (this.#begunCalls.has(place)) return;
    this.#begunCalls.add(place);
    this.#page.note(callLine(toolId, this.#calls[index]?.args ?? {}, this.#isVerbose()));
  }

  async #answered({ round, index, answer }: Extract<RunEvent, { kind: 'answered' }>): Promise<void> {
    const written = this.#calls[index]?.tool_id ?? 'a call';
    this.#begun(round, index, written);
    const { operation_id: id } = answer;
    const operation = id === undefined ? null : await this.#lookUp.operation(id);
    this.#page.note(endLine(operation?.tool_id ?? written, answer.standing, operation));
    const changes = operation === null ? null : await this.#lookUp.changes(operation);
    if (changes !== null) this.#page.note(changes);
    if (this.#isVerbose()) this.#page.note(paint.dim(indented(answer.text)));
  }
}
