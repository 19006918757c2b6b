// SPDX-License-Identifier: Apache-2.0
import { AuditRecord, Fault, opened, parseMessage, type ExportReply } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { decodeBase64 } from '@writ/signing';
import { Type } from 'typebox';

export type Exported = ExportReply['records'][number];

const Signed = Type.Object({ predicateType: Type.String(), predicate: opened(AuditRecord) });

/** A record as formats other than its own envelope write it. */
export interface ExportedRecord {
  readonly leafIndex: number;
  /** what was signed, as it was signed */
  readonly statement: Readonly<Record<string, unknown>>;
  readonly record: AuditRecord;
}

/**
 * Reads the statement in an envelope. A record that can't be read breaks an export off: left out, nobody would miss it.
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

/** When the record was made, as RFC 3339. */
export const momentOf = ({ recorded_at }: AuditRecord): string => new Date(recorded_at).toISOString();
