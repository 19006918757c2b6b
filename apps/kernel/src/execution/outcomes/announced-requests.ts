// SPDX-License-Identifier: Apache-2.0
import type { AnnouncedRequests, EgressRequest } from '@writ/contract';
import { inTenant } from '@writ/database';
import { parseJson } from '@writ/digest';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requestsOf } from './outcome-requests.ts';
import type { OutcomeDraft } from './outcome-draft.ts';

/** A piece of an attempt's list, as kernel.payload.announced stores it. */
type Piece = AnnouncedRequests & { readonly attempt: number };

/**
 * The ending, with the requests announced in unreported attempts before the reported ones. INVARIANT (nothing left
 * out): the record of an outcome counts every request that was announced to the kernel, whatever became of the executor
 * that announced it.
 */
export async function withAnnounced(
  tenants: TenantPool,
  vault: TenantVault,
  row: OperationRow,
  ending: OutcomeDraft,
): Promise<OutcomeDraft> {
  const last = lastUnreported(row, ending);
  if (last === 0) return ending;
  const pieces = (await readPieces(tenants, vault, row)).filter(({ attempt }) => attempt <= last);
  if (pieces.length === 0) return ending;
  return { ...ending, requests: requestsOf([...listOf(pieces), ...(ending.requests?.list ?? [])]) };
}

/** The last unreported attempt; 0 where there was none. Nearly every call ends with the report of its first. */
function lastUnreported({ attempt, state }: OperationRow, { requests }: OutcomeDraft): number {
  const isReported = (requests !== undefined && requests !== null) || state === 'held';
  return isReported ? Math.max(0, attempt - 1) : attempt;
}

async function readPieces(
  tenants: TenantPool,
  vault: TenantVault,
  { tenant_id, operation_id }: OperationRow,
): Promise<Piece[]> {
  const sealed = await inTenant(
    tenants.pool,
    tenant_id,
    async (client) => {
      const { rows } = await client.query<{ announced: Buffer[] }>(
        'SELECT announced FROM kernel.payload WHERE operation_id = $1',
        [operation_id],
      );
      return rows[0]?.announced ?? [];
    },
    { readOnly: true },
  );
  if (sealed.length === 0) return [];
  return await Promise.all(
    sealed.map(
      async (piece) =>
        parseJson((await vault.calls.openLive(tenant_id, operation_id, 'announced', piece)).toString('utf8')) as Piece,
    ),
  );
}

/** Attempt by attempt, line by line, each as it was announced last. */
function listOf(pieces: readonly Piece[]): EgressRequest[] {
  const attempts = new Map<number, Map<number, EgressRequest>>();
  for (const { attempt, from, items } of [...pieces].sort((a, b) => a.seq - b.seq)) {
    const lines = attempts.get(attempt) ?? new Map<number, EgressRequest>();
    attempts.set(attempt, lines);
    for (const [index, item] of items.entries()) lines.set(from + index, item);
  }
  const byNumber = <T>(entries: ReadonlyMap<number, T>): T[] =>
    [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry);
  return byNumber(attempts)
    .flatMap((lines) => byNumber(lines))
    .map(unreported);
}

/** A request that was under way when it was announced may have been sent, answered, or neither. */
const unreported = (request: EgressRequest): EgressRequest =>
  request.outcome === 'failed'
    ? { ...request, outcome: 'unreported', reason: 'nobody reported what became of it' }
    : request;
