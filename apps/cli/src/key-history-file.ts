// SPDX-License-Identifier: Apache-2.0
// Runs without a connection, as all of `writ verify` does.
import type { Receipt } from '@writ/contract';
import { parseReceipt, readKeyHistory, ReceiptError, type KeyHistory } from '@writ/receipt';
import type { Command } from 'commander';
import { CliError } from './cli-error.ts';
import { readNamedText } from './read-named-file.ts';
import type { Terms } from './trust.ts';

/** The option by which a caller names what logs say of their keys. */
export interface KeyHistoryOptions {
  readonly keyHistory?: string;
}

/** Adds the option. */
export const withKeyHistory = (command: Command): Command =>
  command.option(
    '--key-history <file>',
    'receipts of key records (`writ log keys --out`): what a revoked key signed is judged by its place in the log',
  );

/** The receipts of key records of some logs: each is verified under the terms that hold for its log, once. */
export class KeyHistoryFile {
  readonly #where: string;
  readonly #receipts: readonly Receipt[];
  readonly #histories = new Map<string, KeyHistory>();

  /** `text`: receipts, one a line; `where` they are from, for errors. @throws CliError `verify.format` */
  constructor(where: string, text: string) {
    this.#where = where;
    this.#receipts = this.#named(() =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => parseReceipt(`${line}\n`)),
    );
  }

  /** The checkpoints that its receipts are proved towards. */
  get checkpoints(): ReadonlySet<string> {
    return new Set(this.#receipts.map(({ inclusion }) => inclusion.checkpoint));
  }

  /**
   * What the log of this checkpoint says of its keys.
   * @throws CliError `verify.<check>` for a receipt of it that doesn't verify, or is of no key
   */
  of(note: string, { keys, witnessing }: Terms): KeyHistory {
    const origin = originOf(note);
    const known = this.#histories.get(origin);
    if (known !== undefined) return known;
    const history = this.#named(() =>
      readKeyHistory(
        this.#receipts.filter(({ inclusion }) => originOf(inclusion.checkpoint) === origin),
        keys,
        witnessing,
      ),
    );
    this.#histories.set(origin, history);
    return history;
  }

  #named<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ReceiptError)) throw error;
      throw new CliError(`verify.${error.check}`, `${this.#where}: ${error.message}`);
    }
  }
}

/** Whatever a checkpoint says in its first line is only believed once its signature is verified. */
const originOf = (note: string): string => note.slice(0, Math.max(0, note.indexOf('\n')));

/**
 * Reads the file that the options name; without one, a history of nothing.
 * @throws CliError `usage`, `verify.format`
 */
export function readKeyHistoryFile({ keyHistory }: KeyHistoryOptions): KeyHistoryFile {
  return keyHistory === undefined
    ? new KeyHistoryFile('', '')
    : new KeyHistoryFile(`\`${keyHistory}\``, readNamedText(keyHistory, '--key-history'));
}
