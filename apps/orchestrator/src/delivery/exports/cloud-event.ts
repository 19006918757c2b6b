// SPDX-License-Identifier: Apache-2.0
//
// CloudEvents 1.0.2 (https://github.com/cloudevents/spec, cloudevents/spec.md and formats/json-format.md), structured,
// one event a record.
import { RECORD_PAYLOAD_TYPE, type AuditRecord } from '@writ/contract';
import { momentOf, type ExportedRecord } from './exported-record.ts';

/**
 * Digits of the largest leaf index. Padding makes the order of texts that of numbers, as the extension `sequence`
 * requires.
 */
const SEQUENCE_DIGITS = 16;

/** A record as an event. `id` is unique within `source`; the extension `sequence` is the leaf index. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: typeof RECORD_PAYLOAD_TYPE;
  readonly sequence: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function cloudEventOf({ leafIndex, statement, record }: ExportedRecord): CloudEvent {
  return {
    specversion: '1.0',
    id: record.record_id,
    source: `urn:writ:log:${record.log_id}`,
    type: typeOf(record),
    subject: record.operation_id ?? record.record_id,
    time: momentOf(record),
    datacontenttype: RECORD_PAYLOAD_TYPE,
    sequence: String(leafIndex).padStart(SEQUENCE_DIGITS, '0'),
    data: statement,
  };
}

/** The predicate type in reversed order, such as `dev.writ.record.tool_call.outcome.v1`. */
const typeOf = ({ kind, phase }: AuditRecord): string =>
  ['dev.writ.record', kind, ...(phase === null ? [] : [phase]), 'v1'].join('.');
