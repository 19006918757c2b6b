// SPDX-License-Identifier: Apache-2.0
import type { ExportReply } from '@writ/contract';
import { encodeReceipt, RECEIPT_MEDIA_TYPE } from '@writ/receipt';
import { inSlices } from '@writ/worker-pool';
import type { ExportFormat } from './export-format.ts';
import { cloudEventOf } from './cloud-event.ts';
import { readExported, type Exported } from './exported-record.ts';
import { ocsfEventOf } from './ocsf-event.ts';

/** The checkpoint of all proofs of a page. */
type ProofTarget = Pick<ExportReply, 'tree_size' | 'checkpoint'>;

/** Writes a record as one line with its newline. */
type Line = (record: Exported, target: ProofTarget) => string;

const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`;

const LINES: Readonly<Record<ExportFormat, Line>> = {
  dsse: ({ leaf_index, envelope }) => lineOf({ leaf_index, envelope }),
  receipt: ({ leaf_index, envelope, hashes }, { tree_size, checkpoint }) =>
    encodeReceipt({
      media_type: RECEIPT_MEDIA_TYPE,
      envelope,
      inclusion: { leaf_index, tree_size, hashes, checkpoint },
    }),
  cloudevents: (record) => lineOf(cloudEventOf(readExported(record))),
  ocsf: (record) => lineOf(ocsfEventOf(readExported(record))),
};

/**
 * Writes a page of an export in the requested format, in slices of time.
 * @throws Fault `internal` for an unreadable record
 */
export async function linesOf(format: ExportFormat, page: ExportReply): Promise<string> {
  const lines: string[] = [];
  for await (const record of inSlices(page.records)) lines.push(LINES[format](record, page));
  return lines.join('');
}
