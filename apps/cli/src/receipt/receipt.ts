// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';

interface ReceiptOptions extends CommonOptions {
  readonly out?: string;
  readonly phase?: string;
}

/** A record reaches the log within milliseconds. The program waits this long for a pending receipt. */
const PENDING_MS = 10_000;
const RETRY_MS = 200;

/** `writ receipt OPERATION`. */
export function receiptCommand(context: Context): Command {
  const command = new Command('receipt')
    .argument('<operation>')
    .option('--phase <phase>', 'decision, outcome or resolution; by default the outcome if there is one')
    .option('--out <file>', 'the file for the bytes; stdout by default');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<ReceiptOptions>();
    const { client } = connect(context, options, 'admin');
    const bytes = await fetchReceipt(
      client,
      `/v1/operations/${encodeURIComponent(id)}/receipt${queryOf({ phase: options.phase })}`,
    );
    // A receipt is JSON already, in the one spelling that verifies.
    if (options.out === undefined) return context.write(Buffer.from(bytes).toString('utf8'));
    writeFileSync(options.out, bytes);
    show(
      context,
      options,
      { operation_id: id, out: options.out },
      () => `${options.out}\nverify it: writ verify ${options.out} --keys FILE`,
    );
  });
}

async function fetchReceipt(client: Client, path: string): Promise<Uint8Array> {
  const until = performance.now() + PENDING_MS;
  for (;;) {
    try {
      return await (await client.request(path)).bytes();
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'receipt.pending' || performance.now() > until) throw error;
      await delay(RETRY_MS);
    }
  }
}
