// SPDX-License-Identifier: Apache-2.0
import type { ShellEnding } from '@writ/contract';
import type { Shell, ShellTurned } from '@writ/sandbox';
import { inSlices } from '@writ/worker-pool';
import type { OutputTail } from '../outputs/outputs.ts';
import { halfCharacter } from '../outputs/shown-text.ts';
import { piecesOf, Redactor, Values } from '../redaction/redactor.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Calls that may wait for their turn: more are told that the session is busy. */
const WAITING_MAX = 8;

/**
 * One shell with its working copy. Its calls take turns, each to the end of its report: the next one needs to know what
 * became of the effect. INVARIANT (once given, never told): a shell may keep any value that one of its commands was
 * given, so all of them are taken out of what any later turn tells.
 */
export class LiveSession {
  readonly tenantId: string;
  readonly shellId: string;
  /** the image of its container, by digest */
  readonly image: string;
  readonly shell: Shell;
  readonly copy: WorkingCopy;
  /** what its calls were answered, for whoever looks on */
  readonly output: OutputTail;
  /** whether a command was under way when last heard of */
  isRunning = false;
  /** whether a call has the turn: then it is that call that finds and tells how the shell ended */
  isAsked = false;
  /** whether nothing was asked of it yet */
  isFirst = true;
  /** set once it is no more */
  ending: ShellEnding | null = null;
  #values = new Values({});
  readonly #terminal = new Redactor(this.#values);
  /** the first bytes of a character whose others are still to come */
  #half: Uint8Array = new Uint8Array();
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(of: Pick<LiveSession, 'tenantId' | 'shellId' | 'image' | 'shell' | 'copy' | 'output'>) {
    this.tenantId = of.tenantId;
    this.shellId = of.shellId;
    this.image = of.image;
    this.shell = of.shell;
    this.copy = of.copy;
    this.output = of.output;
  }

  /** Every value that its shell was given. */
  get values(): Values {
    return this.#values;
  }

  /** Notes values that its shell is about to be given. MUST be called before it is. */
  learn(values: Readonly<Record<string, string>>): void {
    this.#values = this.#values.and(values);
    this.#terminal.learn(this.#values);
    if (this.#values.any) this.output.withhold();
  }

  /**
   * What the terminal showed in a turn, without values, in whole characters. What may begin a value or a character that
   * the next turn goes on with comes with that.
   */
  async told({
    output,
    truncatedBytes,
    state,
  }: Pick<ShellTurned, 'output' | 'truncatedBytes' | 'state'>): Promise<Uint8Array> {
    const isCut = truncatedBytes > 0;
    const isLast = isCut || state === 'gone';
    const shown = Buffer.concat([
      this.#half,
      this.#values.any ? await this.#withoutValues(output, { isCut, isLast }) : output,
    ]);
    const half = isLast ? 0 : halfCharacter(shown);
    this.#half = Buffer.from(shown.subarray(shown.length - half));
    return shown.subarray(0, shown.length - half);
  }

  async #withoutValues(
    output: Uint8Array,
    { isCut, isLast }: { readonly isCut: boolean; readonly isLast: boolean },
  ): Promise<Uint8Array> {
    const sure: Uint8Array[] = [];
    for await (const piece of inSlices(piecesOf(output))) sure.push(this.#terminal.push(piece));
    return Buffer.concat([...sure, isLast ? this.#terminal.end(isCut) : this.#terminal.pause()]);
  }

  /** Resolves with what gives the turn back, which MUST be called once; null where too many wait. */
  async turn(): Promise<(() => void) | null> {
    if (this.#waiting >= WAITING_MAX) return null;
    this.#waiting += 1;
    const before = this.#last;
    let giveBack = (): void => undefined;
    this.#last = new Promise((resolve) => {
      giveBack = resolve;
    });
    await before;
    this.#waiting -= 1;
    this.isAsked = true;
    return () => {
      this.isAsked = false;
      giveBack();
    };
  }
}
