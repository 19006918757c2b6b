// SPDX-License-Identifier: Apache-2.0
import type { Operation, RecordPageItem } from '@writ/client/web';
import { en } from '../../words/en.ts';

/** One state of a call in time. `at` in milliseconds since the epoch. */
export interface Step {
  readonly title: string;
  readonly at: number;
  readonly texts: readonly string[];
  readonly tone: 'good' | 'bad' | 'warn' | null;
  /** its record in the log; null: it has none of its own */
  readonly recordId: string | null;
}

const VERDICT_TONES: Readonly<Record<string, Step['tone']>> = { admitted: 'good', held: 'warn', refused: 'bad' };
const OUTCOME_TONES: Readonly<Record<string, Step['tone']>> = {
  committed: 'good',
  no_op: 'good',
  rolled_back: 'bad',
  ambiguous: 'bad',
};

/** The states of a call, oldest first: when it came, each of its records, and the state now where no record says it. */
export function stepsOf(operation: Operation, records: readonly RecordPageItem[]): readonly Step[] {
  const { steps: titles } = en.operation;
  const came: Step = {
    title: titles.proposed,
    at: operation.created_at,
    texts: [operation.provenance.client, operation.provenance.model].filter((text) => text !== undefined),
    tone: null,
    recordId: null,
  };
  const recorded = records.toSorted((a, b) => a.leaf_index - b.leaf_index).map((record) => stepOf(record, operation));
  const isUnderWay =
    operation.outcome_record_id === null && operation.state !== 'refused' && operation.state !== 'held';
  const now: Step = {
    title: en.states[operation.state] ?? operation.state,
    at: operation.updated_at,
    texts: [],
    tone: null,
    recordId: null,
  };
  return [came, ...recorded, ...(isUnderWay ? [now] : [])];
}

function stepOf(record: RecordPageItem, operation: Operation): Step {
  const state = record.outcome ?? record.verdict;
  const reasons =
    record.record_id === operation.decision_record_id ? operation.reasons.map(({ message }) => message) : [];
  return {
    title: state === null ? (en.operation.records[record.type] ?? record.type) : (en.states[state] ?? state),
    at: record.recorded_at,
    texts: record.fault_code === null ? reasons : [record.fault_code, ...reasons],
    tone: record.outcome !== null ? (OUTCOME_TONES[record.outcome] ?? null) : (VERDICT_TONES[state ?? ''] ?? null),
    recordId: record.record_id,
  };
}
