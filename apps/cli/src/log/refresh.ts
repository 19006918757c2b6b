// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { Inclusion } from '@writ/contract';
import { encodeReceipt, parseReceipt, ReceiptError, verifyReceipt, verifyReceiptFile } from '@writ/receipt';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { readNamedFile } from '../read-named-file.ts';
import { fieldsOf } from '../terminal.ts';
import { readKeySet } from './read-checkpoint.ts';

interface RefreshOptions extends CommonOptions {
  readonly keys: string;
  readonly out?: string;
}

/** `writ log refresh RECEIPT --keys FILE`. */
export function refreshCommand(context: Context): Command {
  const command = new Command('refresh').argument('<receipt>', 'the file of a receipt')
    .description('Brings a receipt up to the newest checkpoint; it must verify before and after.')
    .requiredOption('--keys <file>', 'the public keys (writ-keys.json)')
    .option('--out <file>', 'where to write it; over the old one unless said');
  return command.action(async (file: string) => {
    const options = command.optsWithGlobals<RefreshOptions>();
    const keys = readKeySet(options.keys);
    const text = readNamedFile(file, 'receipt').toString('utf8');
    const { checkpoint: before } = verified(file, () => verifyReceiptFile(text, keys));
    const receipt = parseReceipt(text);
    const { client } = connect(context, options, 'operator');
    const inclusion = await client.read(Inclusion, `/v1/log/inclusion?leaf_index=${String(receipt.inclusion.leaf_index)}`);
    const { checkpoint: after } = verified('the server\'s answer', () => verifyReceipt({ ...receipt, inclusion }, keys));
    const out = options.out ?? file;
    writeFileSync(out, encodeReceipt({ ...receipt, inclusion }));
    show(context, options, { out, from: before.treeSize, to: after.treeSize }, () => fieldsOf({ receipt: out, from: before.treeSize, to: after.treeSize }));
  });
}

function verified<T>(what: string, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new CliError(`verify.${error.check}`, `\`${what}\`: ${error.message}`);
  }
}
