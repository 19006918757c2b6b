// SPDX-License-Identifier: Apache-2.0
import { AuditRecord, isId, parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import type { IndexedLeaf } from '../foundation/ledger-functions.ts';

/** The index row of a record. `resources` and `words` become lexemes in the database. */
export interface IndexRow {
  readonly leaf_index: number;
  readonly record_id: string;
  readonly kind: string;
  readonly operation_id: string | null;
  readonly phase: string | null;
  readonly recorded_at: number;
  readonly is_drawn: boolean;
  readonly agent_id: string | null;
  readonly tool_id: string | null;
  readonly session_id: string | null;
  readonly verdict: string | null;
  readonly tx_outcome: string | null;
  readonly fault_code: string | null;
  readonly risk_score: number | null;
  readonly resources: readonly string[];
  readonly words: string;
  /** ids of several words, each as one lexeme in addition to `words` */
  readonly terms: readonly string[];
}

/** Deeper than any record, which has lists and objects of scalars only. */
const STATEMENT_DEPTH = 16;
/** Longest word of the log's own columns. Longer ones don't fit into a row of a B-tree, and no known record has one. */
const WORD_MAX = 64;

const UNREADABLE = {
  is_drawn: false,
  agent_id: null,
  tool_id: null,
  session_id: null,
  verdict: null,
  tx_outcome: null,
  fault_code: null,
  risk_score: null,
  resources: [],
  words: '',
  terms: [],
} as const;

/**
 * The row of a leaf. Never throws: for a record of an unknown version the row holds only the log's own columns, and is
 * marked (`is_drawn` is false).
 */
export function indexRowOf(leaf: IndexedLeaf): IndexRow {
  const { leaf_index, record_id, recorded_at } = leaf;
  const columns = {
    leaf_index,
    record_id,
    recorded_at,
    kind: leaf.kind.slice(0, WORD_MAX),
    phase: leaf.phase?.slice(0, WORD_MAX) ?? null,
    operation_id: isId('operation', leaf.operation_id) ? leaf.operation_id : null,
  };
  const record = recordOf(leaf.payload);
  if (record === null) return { ...columns, ...UNREADABLE };
  const { agent_id, tool_id, verdict, tx_outcome, fault_code, risk_score } = record;
  const texts = [...record.rule_ids, ...record.risk_basis, fault_code, record.change?.verb];
  return {
    ...columns,
    is_drawn: true,
    agent_id,
    tool_id,
    session_id: record.provenance.session_id ?? null,
    verdict,
    tx_outcome,
    fault_code,
    risk_score,
    resources: resourcesOf(record),
    words: wordsOf(texts),
    terms: termsOf(texts),
  };
}

/**
 * The record that a payload holds. Null for a record of an unknown version, or with a character that the database can't
 * store.
 */
function recordOf(payload: Uint8Array): AuditRecord | null {
  try {
    // JSON has no other spelling for the NUL character. This also finds the six letters after an escaped backslash.
    // Such a record is in the log, and is found by the log's own columns.
    if (Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).includes('\\u0000')) return null;
    const { predicate } = parseIJson(payload, { depthMax: STATEMENT_DEPTH }) as { predicate?: unknown };
    return parseMessage(AuditRecord, predicate);
  } catch {
    return null;
  }
}

/**
 * The ids that a record refers to: where it ran, under which rules, what it produced, what it changed. A record names
 * no path and no host.
 */
function resourcesOf(record: AuditRecord): string[] {
  const named = [
    record.workspace_id,
    record.capability_token_id,
    record.policy_hash,
    record.image_digest,
    record.new_snapshot_id,
    record.commit_delta_id,
    ...record.approval_refs,
    record.change?.subject,
  ];
  return [...new Set(named.filter((id): id is string => typeof id === 'string' && id !== ''))].sort();
}

/** Longest id. A longer text is no id, and a lexeme can't hold it. */
const TERM_MAX = 256;

/** The texts that have several words, in lower case as the text search configuration `simple` makes them. */
function termsOf(texts: readonly (string | null | undefined)[]): string[] {
  const joined = texts.filter(
    (text): text is string => typeof text === 'string' && text.length <= TERM_MAX && /[^\p{L}\p{N}]/u.test(text),
  );
  return [...new Set(joined.map((text) => text.toLowerCase()))].sort();
}

/**
 * The words of the texts, one after the other, without what joins them: `policy.denied` and `policy-denied` give the
 * same two words.
 */
export function wordsOf(texts: readonly (string | null | undefined)[]): string {
  return texts.flatMap((text) => text?.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
