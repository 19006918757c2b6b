// SPDX-License-Identifier: Apache-2.0
import type { AgentNote } from '@writ/agent-loop';
import type { RunLive, RunNews, TenantId } from '@writ/contract';

/**
 * Pieces of text that come within so many milliseconds are published as one: models stream faster than anybody reads.
 */
const GATHER_MS = 50;
/** Longer arguments are published only with the whole reply. */
const ARGS_CHARS_MAX = 16_384;

/**
 * Publishes to whoever watches a run, at any replica, what the model streams and how far the run's events are stored.
 * What it publishes is stored nowhere and may be lost.
 */
export class RunEventPublisher {
  readonly #send: (news: RunNews) => void;
  readonly #of: { readonly tenant_id: TenantId; readonly run_id: string };
  #seq: number;
  #live: RunLive[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    of: { readonly tenant_id: TenantId; readonly run_id: string },
    seq: number,
    send: (news: RunNews) => void,
  ) {
    this.#of = of;
    this.#seq = seq;
    this.#send = send;
  }

  /**
   * An event was stored. Text that was gathered before it is not published any more: readers have the event, which says
   * more.
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

  /** Publishes what was gathered. Nothing is published afterwards. */
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
      ...this.#of,
      run_id: this.#of.run_id as RunNews['run_id'],
      seq: this.#seq,
      live: this.#live.splice(0),
    });
  }
}
