// SPDX-License-Identifier: Apache-2.0
import type { AgentNote } from '@writ/agent-loop';
import type { RunLive, RunUpdate, TenantId } from '@writ/contract';

/**
 * Pieces of text that arrive within this many milliseconds are published as one, because models stream faster than
 * people read.
 */
const GATHER_MS = 50;
/** Longer arguments are published only with the whole reply. */
const ARGS_CHARS_MAX = 16_384;

/**
 * Publishes what the model streams, and the last stored event of the run, to watchers at all replicas. Published
 * messages are not stored and may be lost.
 */
export class RunEventPublisher {
  readonly #send: (news: RunUpdate) => void;
  readonly #run: { readonly tenant_id: TenantId; readonly run_id: string };
  #seq: number;
  #live: RunLive[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    run: { readonly tenant_id: TenantId; readonly run_id: string },
    seq: number,
    send: (news: RunUpdate) => void,
  ) {
    this.#run = run;
    this.#seq = seq;
    this.#send = send;
  }

  /**
   * Publishes that an event was stored. Text that was gathered before it is dropped, because readers get the event,
   * which contains it.
   */
  kept(seq: number): void {
    this.#seq = seq;
    this.#live = [];
    this.#publish();
  }

  started(round: number, index: number, operation_id: string, tool_id: string): void {
    this.#add({ event: 'started', data: { round, index, operation_id, tool_id } });
  }

  received(note: AgentNote): void {
    if (note.kind === 'retry')
      this.#add({
        event: 'retry',
        data: { round: note.round, failures: note.failures, delay_ms: note.delay_ms, fault: note.error.fault },
      });
    if (note.kind !== 'delta') return;
    if (note.delta.kind === 'text') return this.#text(note.round, note.delta.text);
    const { id, tool_id, args } = note.delta.call;
    this.#add({
      event: 'asked',
      data: {
        round: note.round,
        call: { id, tool_id, args: JSON.stringify(args).length > ARGS_CHARS_MAX ? null : args },
      },
    });
  }

  /** Publishes the gathered text. Nothing is published afterwards. */
  end(): void {
    if (this.#live.length > 0) this.#publish();
  }

  #text(round: number, text: string): void {
    const last = this.#live.at(-1);
    if (last?.event === 'text' && last.data['round'] === round)
      last.data['text'] = `${String(last.data['text'])}${text}`;
    else this.#add({ event: 'text', data: { round, text } });
  }

  #add(live: RunLive): void {
    this.#live.push(live);
    this.#timer ??= setTimeout(() => this.#publish(), GATHER_MS).unref();
  }

  #publish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send({
      v: 1,
      ...this.#run,
      run_id: this.#run.run_id as RunUpdate['run_id'],
      seq: this.#seq,
      live: this.#live.splice(0),
    });
  }
}
