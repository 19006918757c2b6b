// SPDX-License-Identifier: Apache-2.0
import { RecordPage } from '@writ/contract';
import { keyEventOf, parseReceipt, readKeyHistory, ReceiptError, verifyLeaf } from '@writ/receipt';
import { decodeBase64 } from '@writ/signing';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { withTrust, type Trust, type TrustOptions } from '../trust.ts';
import { writeWhole } from '../write-whole.ts';
import { readTrusted } from './read-checkpoint.ts';

interface LogKeysOptions extends CommonOptions, TrustOptions {
  readonly out?: string;
}

/** A key record in the output. */
interface ShownEvent {
  readonly leaf_index: number;
  readonly event: string;
  readonly purpose: string;
  readonly keyid: string;
  /** milliseconds since the epoch; null for an event that this version doesn't know */
  readonly from: number | null;
  readonly signed_by: string;
  /** false where the key itself, or a revoked key, signed the record */
  readonly counts: boolean;
}

const PAGE_ROWS = 200;

/** `writ log keys (--keys FILE | --trust FILE) [--out FILE]`. */
export function logKeysCommand(context: Context): Command {
  const command = withTrust(new Command('keys'))
    .description(
      'The key history of the log: new, retired and revoked keys, with their leaves. Each record is verified.',
    )
    .option('--out <file>', 'writes the receipts of these records, one a line, for `writ verify --key-history`');
  return command.action(async () => {
    const options = command.optsWithGlobals<LogKeysOptions>();
    const trust = readTrusted(options);
    const { lines, isWhole } = await readLines(connect(context, options, 'operator').client);
    const events = lines.map(({ leaf, line }) => eventOf(leaf, line, trust));
    if (options.out !== undefined) writeWhole(options.out, lines.map(({ line }) => line).join(''));
    show(context, options, { events, out: options.out ?? null, is_whole: isWhole }, () =>
      [
        tableOf(['leaf', 'event', 'purpose', 'key', 'from', 'said by'], events.map(rowOf)),
        ...(isWhole ? [] : ['the index is behind the log, and lacks its newest records: try again later']),
        ...(options.out === undefined ? [] : [fieldsOf({ receipts: options.out })]),
      ].join('\n'),
    );
  });
}

interface ReceiptLine {
  readonly leaf: number;
  /** the file of a receipt */
  readonly line: string;
}

async function readLines(client: Client): Promise<{ lines: ReceiptLine[]; isWhole: boolean }> {
  const lines: ReceiptLine[] = [];
  let [cursor, isWhole]: [string | undefined, boolean] = [undefined, true];
  do {
    const page: RecordPage = await client.read(
      RecordPage,
      `/v1/records${queryOf({ type: 'key', order: 'oldest', limit: PAGE_ROWS, cursor })}`,
    );
    isWhole = page.indexed_to >= page.tree_size;
    for (const { leaf_index } of page.items)
      lines.push({
        leaf: leaf_index,
        line: await (await client.request(`/v1/records/${String(leaf_index)}/receipt`)).text(),
      });
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { lines, isWhole };
}

/** @throws CliError `verify.<check>` */
function eventOf(leaf: number, line: string, trust: Trust): ShownEvent {
  try {
    const receipt = parseReceipt(line);
    const { keys, witnessing } = trust.termsOf(receipt.inclusion.checkpoint);
    const [signature] = receipt.envelope.signatures;
    const { record, revokedAt } = verifyLeaf(
      { payload: decodeBase64(receipt.envelope.payload), keyid: signature?.keyid ?? '', sig: signature?.sig ?? '' },
      keys,
    );
    if (receipt.inclusion.leaf_index !== leaf) throw new ReceiptError('inclusion', 'the receipt is of another place');
    readKeyHistory([receipt], keys, witnessing);
    const event = keyEventOf(record);
    return {
      leaf_index: leaf,
      event: event?.event ?? 'unknown',
      purpose: event?.purpose ?? '',
      keyid: event?.keyid ?? '',
      from: event?.from ?? null,
      signed_by: record.kernel_key_id,
      counts: event !== null && revokedAt === null && event.keyid !== record.kernel_key_id,
    };
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new CliError(`verify.${error.check}`, `record ${String(leaf)}: ${error.message}`);
  }
}

const rowOf = ({ leaf_index, event, purpose, keyid, from, signed_by, counts }: ShownEvent): string[] => [
  String(leaf_index),
  event,
  purpose,
  keyid,
  from === null ? '' : momentOf(from),
  counts ? signed_by : `${signed_by} (does not count)`,
];
