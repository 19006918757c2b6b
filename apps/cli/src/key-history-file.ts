// SPDX-License-Identifier: Apache-2.0
// Runs without a connection, as all of `writ verify` does.
import type { Receipt } from '@writ/contract';
import { parseReceipt, readKeyHistory, ReceiptError, type KeyHistory } from '@writ/receipt';
import type { Command } from 'commander';
import { CliError } from './cli-error.ts';
import { readNamedText } from './read-named-file.ts';
import type { Terms } from './trust.ts';

/** The option that names a file of key records. */
export interface KeyHistoryOptions {
  readonly keyHistory?: string;
}

/** Adds the option. */
export const withKeyHistory = (command: Command): Command =>
  command.option(
    '--key-history <file>',
    'receipts of key records (`writ log keys --out`): signatures of revoked keys are judged by their position in the log',
  );

/** The receipts of key records of one or more logs. Each is verified once, under the trust terms of its log. */
export class KeyHistoryFile {
  readonly #where: string;
  readonly #receipts: readonly Receipt[];
  readonly #histories = new Map<string, KeyHistory>();

  /** `text` holds receipts, one a line; `where` names their source in errors. @throws CliError `verify.format` */
  constructor(where: string, text: string) {
    this.#where = where;
    this.#receipts = this.#withSource(() =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => parseReceipt(`${line}\n`)),
    );
  }

  /** The checkpoints to which its receipts are proved. */
  get checkpoints(): ReadonlySet<string> {
    return new Set(this.#receipts.map(({ inclusion }) => inclusion.checkpoint));
  }

  /**
   * The key history of the log of this checkpoint.
   * @throws CliError `verify.<check>` for a receipt of that log that doesn't verify, or is no key record
   */
  historyOf(note: string, { keys, witnessing }: Terms): KeyHistory {
    const origin = originOf(note);
    const cached = this.#histories.get(origin);
    if (cached !== undefined) return cached;
    const history = this.#withSource(() =>
      readKeyHistory(
        this.#receipts.filter(({ inclusion }) => originOf(inclusion.checkpoint) === origin),
        keys,
        witnessing,
      ),
    );
    this.#histories.set(origin, history);
    return history;
  }

  #withSource<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ReceiptError)) throw error;
      throw new CliError(`verify.${error.check}`, `${this.#where}: ${error.message}`);
    }
  }
}

/** The first line of a note. It is trusted only once the note's signature is verified. */
const originOf = (note: string): string => note.slice(0, Math.max(0, note.indexOf('\n')));

/** Reads the file that the options name; without one, an empty history. @throws CliError `usage`, `verify.format` */
export function readKeyHistoryFile({ keyHistory }: KeyHistoryOptions): KeyHistoryFile {
  return keyHistory === undefined
    ? new KeyHistoryFile('', '')
    : new KeyHistoryFile(`\`${keyHistory}\``, readNamedText(keyHistory, '--key-history'));
}
