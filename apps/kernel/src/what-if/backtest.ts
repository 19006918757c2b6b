// SPDX-License-Identifier: Apache-2.0
import { BACKTEST_PAYLOAD_TYPE, type Backtest, type BacktestPage, type KernelRequest } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { sealEnvelope, type Signer } from '@writ/signing';
import { inSlices } from '@writ/worker-pool';
import type { PolicyShelf, ReadyPolicy } from '../policies/index.ts';
import { pageOf, parseCursor } from '../store/index.ts';
import { requireRole } from '../tenancy/index.ts';
import { askBoth } from './ask-both.ts';
import { readyCandidate } from './asked-of.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

const EXAMPLES_MAX = 20;
type Change = BacktestPage['examples'][number];

/**
 * Asks a set about recorded calls: which decisions would be others. Both sets are asked: see `askBoth`.
 * The answer is signed with the key of records, under a type of its own: it can't be read as a record or a permit.
 */
export class BacktestPolicy {
  readonly #calls: RecordedCalls;
  readonly #shelf: PolicyShelf;
  readonly #signer: Signer;

  constructor(calls: RecordedCalls, shelf: PolicyShelf, signer: Signer) {
    this.#calls = calls;
    this.#shelf = shelf;
    this.#signer = signer;
  }

  /** One page: at most `limit` calls are looked at. @throws Fault `auth.role`, `not_found`, `policy.invalid`, `policy.unreadable`, `request.malformed` */
  async run({ caller, policy, document, since, cursor, limit }: KernelRequest<'policy.backtest'>): Promise<Backtest> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const candidate = document === null ? (await this.#shelf.find(tenant_id, policy)).ready : await readyCandidate(this.#shelf, tenant_id, document);
    const found = await this.#calls.since(tenant_id, since, parseCursor(cursor), limit + 1);
    const { items, next_cursor } = pageOf(found, limit, ({ operation }) => ({ created_at: operation.created_at, id: operation.operation_id }));
    const changes: Change[] = [];
    let skipped = 0;
    for await (const call of inSlices(items)) {
      const change = await this.#changeOf(call, candidate);
      if (change === null) skipped += 1;
      else if (change.from !== change.to) changes.push(change);
    }
    const { name, enforcement } = candidate.set.document;
    const page: BacktestPage = {
      v: 1, tenant_id, kernel_key_id: this.#signer.keyid, candidate: { policy_hash: candidate.set.policy_hash, name, enforcement }, since, cursor, next_cursor,
      made_at: items[0]?.now ?? await this.#calls.now(tenant_id), examined: items.length, skipped, changed: changes.length, changes: counted(changes), examples: changes.slice(0, EXAMPLES_MAX),
    };
    return { page, envelope: sealEnvelope(BACKTEST_PAYLOAD_TYPE, canonicalBytes(page), this.#signer) };
  }

  /** Null where there is nothing to compare. */
  async #changeOf(call: RecordedCall, candidate: ReadyPolicy): Promise<Change | null> {
    const { operation_id, tool_id } = call.operation;
    const asked = await askBoth(this.#calls, this.#shelf, call, candidate);
    if (typeof asked === 'string') return null;
    const { was, would_be } = asked;
    return { operation_id, tool_id, from: was.mode, to: would_be.mode, rule_ids: would_be.rule_ids };
  }
}

function counted(changes: readonly Change[]): BacktestPage['changes'] {
  const counts = new Map<string, BacktestPage['changes'][number]>();
  for (const { from, to, tool_id } of changes) {
    const key = `${from} ${to} ${tool_id}`;
    counts.set(key, { from, to, tool_id, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
