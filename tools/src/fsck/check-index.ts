// SPDX-License-Identifier: Apache-2.0
// The index of records beside the log. It proves nothing and may be behind. But a row that differs from its leaf, or a
// missing one between others, hides a record from searches. The expected row is computed independently of the ledger's
// code.
import type { AuditRecord } from '@writ/contract';
import { tenantOf } from './check-root.ts';
import type { Findings } from './findings.ts';
import { lexemesOf, readIndexRows, type Connection, type IndexRow } from './rows.ts';

/** Rows in one query for lexemes. */
const PENDING_MAX = 500;

interface Pending {
  readonly row: IndexRow;
  readonly resources: readonly string[];
  readonly words: string;
  readonly terms: readonly string[];
}

export class IndexCheck {
  readonly #client: Connection;
  readonly #logId: string;
  readonly #findings: Findings;
  readonly #rows: AsyncGenerator<IndexRow, undefined>;
  #next: IndexRow | undefined;
  #isBegun = false;
  #pending: Pending[] = [];

  constructor(client: Connection, logId: string, findings: Findings) {
    this.#client = client;
    this.#logId = logId;
    this.#findings = findings;
    this.#rows = readIndexRows(client, logId);
  }

  /**
   * Compares the row of the leaf; leaves come in order. `record` is null where the leaf has no signed record, which is
   * a finding already.
   */
  async take(leafIndex: number, record: AuditRecord | null): Promise<void> {
    if (!this.#isBegun) await this.#advance();
    while (this.#next !== undefined && this.#next.leaf_index < leafIndex) await this.#surplus(this.#next);
    if (this.#next === undefined) return;
    if (this.#next.leaf_index > leafIndex)
      return this.#findings.add(nameOf(leafIndex), 'is missing, and there are later ones');
    if (record !== null) await this.#compare(this.#next, record);
    await this.#advance();
  }

  /** Called after the last leaf. */
  async finish(): Promise<void> {
    if (!this.#isBegun) await this.#advance();
    while (this.#next !== undefined) await this.#surplus(this.#next);
    await this.#compareLexemes();
  }

  async #surplus({ leaf_index }: IndexRow): Promise<void> {
    this.#findings.add(nameOf(leaf_index), 'is of no leaf');
    await this.#advance();
  }

  async #advance(): Promise<void> {
    this.#isBegun = true;
    this.#next = (await this.#rows.next()).value;
  }

  async #compare(row: IndexRow, record: AuditRecord): Promise<void> {
    const output = {
      tenant_id: tenantOf(this.#logId),
      record_id: record.record_id,
      kind: record.kind,
      operation_id: record.operation_id,
      phase: record.phase,
      recorded_at: record.recorded_at,
      is_drawn: true,
      agent_id: record.agent_id,
      tool_id: record.tool_id,
      session_id: record.provenance.session_id ?? null,
      verdict: record.verdict,
      tx_outcome: record.tx_outcome,
      fault_code: record.fault_code,
      risk_score: record.risk_score,
    } as const;
    for (const [column, value] of Object.entries(output) as [keyof typeof output, unknown][]) {
      this.#findings.demand(
        row[column] === value,
        nameOf(row.leaf_index),
        `\`${column}\` is \`${String(row[column])}\`, the record says \`${String(value)}\``,
      );
    }
    this.#pending.push({ row, resources: resourcesOf(record), words: messageOf(record), terms: termsOf(record) });
    if (this.#pending.length >= PENDING_MAX) await this.#compareLexemes();
  }

  async #compareLexemes(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    const expected = await lexemesOf(this.#client, pending);
    for (const [i, { row }] of pending.entries()) {
      for (const column of ['resources', 'words'] as const)
        this.#findings.demand(
          row[column] === expected[i]?.[column],
          nameOf(row.leaf_index),
          `\`${column}\` are not those of the record`,
        );
    }
  }
}

const nameOf = (leafIndex: number): string => `record_index ${leafIndex}`;

function resourcesOf(record: AuditRecord): string[] {
  const {
    workspace_id,
    capability_token_id,
    policy_hash,
    image_digest,
    new_snapshot_id,
    commit_delta_id,
    approval_refs,
    change,
  } = record;
  return [
    workspace_id,
    capability_token_id,
    policy_hash,
    image_digest,
    new_snapshot_id,
    commit_delta_id,
    change?.subject ?? null,
    ...approval_refs,
  ].flatMap((id) => (id === null || id === '' ? [] : [id]));
}

const textsOf = ({ rule_ids, risk_basis, fault_code, change }: AuditRecord): string[] => [
  ...rule_ids,
  ...risk_basis,
  fault_code ?? '',
  change?.verb ?? '',
];

/** Ids of several words are also indexed whole, up to 256 characters. */
const termsOf = (record: AuditRecord): string[] =>
  textsOf(record)
    .filter((text) => text.length <= 256 && /[^\p{L}\p{N}]/u.test(text))
    .map((text) => text.toLowerCase());

/** Characters other than letters and digits separate words. */
const messageOf = (record: AuditRecord): string =>
  textsOf(record)
    .join(' ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
