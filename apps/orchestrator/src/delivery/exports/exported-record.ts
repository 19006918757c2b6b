// SPDX-License-Identifier: Apache-2.0
import { AuditRecord, Fault, allowUnknownMembers, parseMessage, type ExportReply } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { decodeBase64 } from '@writ/signing';
import { Type } from 'typebox';

export type Exported = ExportReply['records'][number];

const Signed = Type.Object({ predicateType: Type.String(), predicate: allowUnknownMembers(AuditRecord) });

/** A parsed record, from which the other formats are written. */
export interface ExportedRecord {
  readonly leafIndex: number;
  /** the signed statement */
  readonly statement: Readonly<Record<string, unknown>>;
  readonly record: AuditRecord;
}

/**
 * Parses the statement in an envelope. An unreadable record breaks off the export; if it were skipped, nobody would
 * notice.
 * @throws Fault `internal`
 */
export function readExported({ leaf_index, envelope }: Exported): ExportedRecord {
  try {
    const statement = parseJson(Buffer.from(decodeBase64(envelope.payload)).toString('utf8')) as Record<
      string,
      unknown
    >;
    return { leafIndex: leaf_index, statement, record: parseMessage(Signed, statement).predicate };
  } catch (cause) {
    throw new Fault('internal', undefined, {
      cause: new Error(`leaf ${String(leaf_index)} is no record that this version knows`, { cause }),
    });
  }
}

/** The time of the record, in RFC 3339 format. */
export const momentOf = ({ recorded_at }: AuditRecord): string => new Date(recorded_at).toISOString();
