// SPDX-License-Identifier: Apache-2.0
import type { ShellEnding } from '@writ/contract';
import type { Shell, ShellTurned } from '@writ/sandbox';
import { inSlices } from '@writ/worker-pool';
import type { OutputTail } from '../outputs/live-outputs.ts';
import { halfCharacter } from '../outputs/shown-text.ts';
import { piecesOf, Redactor, SecretValues } from '../redaction/redactor.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Calls that may wait for their turn; a further one is refused as busy. */
const WAITING_MAX = 8;

/**
 * One shell with its working copy. Its calls take turns, each until its report is settled, because the next call needs
 * to know the outcome. INVARIANT (redacted forever): a shell may keep any secret value that one of its commands
 * received, so all of them are redacted from every later turn.
 */
export class LiveSession {
  readonly tenantId: string;
  readonly shellId: string;
  /** the image of its container, by digest */
  readonly image: string;
  /** the paths of the tenant's settings that its files were chosen by: see `pathsOf` */
  readonly paths: string;
  readonly shell: Shell;
  readonly copy: WorkingCopy;
  /** the output of its calls, for observers */
  readonly output: OutputTail;
  /** whether a command was running after the last turn */
  isRunning = false;
  /** whether a call has the turn: then that call finds out and reports how the shell ended */
  hasTurn = false;
  /** whether no call has used it yet */
  isFirst = true;
  /** why the shell ended; null while it lives */
  ending: ShellEnding | null = null;
  #values = new SecretValues({});
  readonly #terminal = new Redactor(this.#values);
  /** the first bytes of a character whose others have not arrived */
  #partialCharacter: Uint8Array = new Uint8Array();
  #waiting = 0;
  #previousTurn: Promise<void> = Promise.resolve();

  constructor(parts: Pick<LiveSession, 'tenantId' | 'shellId' | 'image' | 'paths' | 'shell' | 'copy' | 'output'>) {
    this.tenantId = parts.tenantId;
    this.shellId = parts.shellId;
    this.image = parts.image;
    this.paths = parts.paths;
    this.shell = parts.shell;
    this.copy = parts.copy;
    this.output = parts.output;
  }

  /** Every secret value that its shell received. */
  get values(): SecretValues {
    return this.#values;
  }

  /** Adds secret values that its shell is about to receive. MUST be called before the shell receives them. */
  addValues(values: Readonly<Record<string, string>>): void {
    this.#values = this.#values.withMore(values);
    this.#terminal.searchFor(this.#values);
    if (this.#values.any) this.output.withhold();
  }

  /**
   * The terminal's output of a turn, without secret values, in whole characters. Bytes that may begin a value or a
   * character are held back until the next turn.
   */
  async redactedOutput({
    output,
    truncatedBytes,
    state,
  }: Pick<ShellTurned, 'output' | 'truncatedBytes' | 'state'>): Promise<Uint8Array> {
    const isCut = truncatedBytes > 0;
    const isLast = isCut || state === 'gone';
    const shown = Buffer.concat([
      this.#partialCharacter,
      this.#values.any ? await this.#withoutValues(output, { isCut, isLast }) : output,
    ]);
    const half = isLast ? 0 : halfCharacter(shown);
    this.#partialCharacter = Buffer.from(shown.subarray(shown.length - half));
    return shown.subarray(0, shown.length - half);
  }

  async #withoutValues(
    output: Uint8Array,
    { isCut, isLast }: { readonly isCut: boolean; readonly isLast: boolean },
  ): Promise<Uint8Array> {
    const emitted: Uint8Array[] = [];
    for await (const piece of inSlices(piecesOf(output))) emitted.push(this.#terminal.push(piece));
    return Buffer.concat([...emitted, isLast ? this.#terminal.end(isCut) : this.#terminal.pause()]);
  }

  /**
   * Waits for the turn and resolves with a function that ends it, which MUST be called once. Null where too many calls
   * wait. Rejects with the signal's reason when the call must stop; then it has no turn to end.
   */
  async turn(signal: AbortSignal): Promise<(() => void) | null> {
    if (this.#waiting >= WAITING_MAX) return null;
    const before = this.#previousTurn;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const endTurn = (): void => resolve(undefined);
    this.#previousTurn = promise;
    this.#waiting += 1;
    try {
      await settledOrAborted(before, signal);
    } catch (error) {
      // The call behind this one still waits for the call before it.
      void before.then(endTurn);
      throw error;
    } finally {
      this.#waiting -= 1;
    }
    this.hasTurn = true;
    return () => {
      this.hasTurn = false;
      endTurn();
    };
  }
}

/** Resolves with the promise, or rejects with the reason of the signal if that aborts first. */
async function settledOrAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
