// SPDX-License-Identifier: Apache-2.0
import {
  deploymentOfOrigin,
  parseKeySet,
  parseTrustPolicy,
  ReceiptError,
  type KeySet,
  type Witnessing,
} from '@writ/receipt';
import type { Command } from 'commander';
import { usage } from './cli-error.ts';
import { readNamedFile } from './read-named-file.ts';

/** The options that name trusted keys; exactly one is needed. */
export interface TrustOptions {
  readonly keys?: string;
  readonly trust?: string;
}

/** The trust terms of one log. */
export interface Terms {
  readonly keys: KeySet;
  /** null where checkpoints need no witnesses */
  readonly witnessing: Witnessing | null;
}

/** The keys or policy that the caller trusts. */
export interface Trust {
  /**
   * The terms for a checkpoint, by its unverified first line. The note is then verified under these terms.
   * @throws ReceiptError `keys` for a deployment that isn't trusted
   */
  termsOf(note: string): Terms;
}

/** Adds the options. */
export const withTrust = (command: Command): Command =>
  command
    .option('--keys <file>', 'the public keys (writ-keys.json)')
    .option(
      '--trust <file>',
      'a trust policy instead of `--keys`: deployments with their keys, witnesses and their quorum',
    );

/**
 * Reads the file that the options name. `now` is in milliseconds.
 * @throws ReceiptError `keys`; CliError `usage` unless exactly one option is given
 */
export function readTrust({ keys, trust }: TrustOptions, now: number): Trust {
  if ((keys === undefined) === (trust === undefined))
    throw usage(
      keys === undefined
        ? 'name the keys that you trust: `--keys FILE` or `--trust FILE`. `npm start` writes `.writ/public-keys.json`; `writ key public --out keys.json` fetches those of your server, which you compare with what it publishes elsewhere'
        : 'give either `--keys` or `--trust`: both say whom you trust',
    );
  if (keys !== undefined) {
    const terms = { keys: parseKeySet(readNamedFile(keys, '--keys')), witnessing: null };
    return { termsOf: () => terms };
  }
  const policy = parseTrustPolicy(readNamedFile(trust ?? '', '--trust'));
  return {
    termsOf: (note) => {
      const origin = note.slice(0, Math.max(0, note.indexOf('\n')));
      const deployment = deploymentOfOrigin(policy, origin);
      if (deployment === undefined)
        throw new ReceiptError('keys', `the trust policy names no deployment that \`${origin}\` could be a log of`);
      return {
        keys: deployment.keys,
        witnessing: deployment.witnesses === null ? null : { terms: deployment.witnesses, now },
      };
    },
  };
}
