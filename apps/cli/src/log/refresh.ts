// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { Inclusion } from '@writ/contract';
import { encodeReceipt, readReceiptFile, ReceiptError, verifyReceipt } from '@writ/receipt';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { readKeyHistoryFile, withKeyHistory, type KeyHistoryOptions } from '../key-history-file.ts';
import { readNamedFile } from '../read-named-file.ts';
import { fieldsOf } from '../terminal.ts';
import { withTrust, type TrustOptions } from '../trust.ts';
import { readTrusted } from './read-checkpoint.ts';

interface RefreshOptions extends CommonOptions, TrustOptions, KeyHistoryOptions {
  readonly out?: string;
}

/** `writ log refresh RECEIPT (--keys FILE | --trust FILE)`. */
export function refreshCommand(context: Context): Command {
  const command = withKeyHistory(withTrust(new Command('refresh')))
    .argument('<receipt>', 'the file of a receipt')
    .description(
      'Refreshes a receipt to the newest checkpoint. The receipt must verify before, with or without witnesses, and afterwards under the trust policy.',
    )
    .option('--out <file>', 'the file to write; the old one by default');
  return command.action(async (file: string) => {
    const options = command.optsWithGlobals<RefreshOptions>();
    const trust = readTrusted(options);
    const bytes = readNamedFile(file, 'receipt');
    const receipt = withCliErrors(file, () => readReceiptFile(bytes).receipt);
    // The old checkpoint may lack witnesses or be too old: that is a reason to refresh the receipt.
    const histories = readKeyHistoryFile(options);
    const { checkpoint: before } = withCliErrors(file, () => {
      const terms = trust.termsOf(receipt.inclusion.checkpoint);
      return verifyReceipt(receipt, terms.keys, {}, null, histories.historyOf(receipt.inclusion.checkpoint, terms));
    });
    const { client } = connect(context, options, 'operator');
    const inclusion = await client.read(
      Inclusion,
      `/v1/log/inclusion?leaf_index=${String(receipt.inclusion.leaf_index)}`,
    );
    const { checkpoint: after } = withCliErrors("the server's answer", () => {
      const terms = trust.termsOf(inclusion.checkpoint);
      return verifyReceipt(
        { ...receipt, inclusion },
        terms.keys,
        {},
        terms.witnessing,
        histories.historyOf(inclusion.checkpoint, terms),
      );
    });
    const out = options.out ?? file;
    writeFileSync(out, encodeReceipt({ ...receipt, inclusion }));
    show(context, options, { out, from: before.treeSize, to: after.treeSize }, () =>
      fieldsOf({ receipt: out, from: before.treeSize, to: after.treeSize }),
    );
  });
}

function withCliErrors<T>(what: string, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new CliError(`verify.${error.check}`, `\`${what}\`: ${error.message}`);
  }
}
