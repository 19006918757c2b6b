// SPDX-License-Identifier: Apache-2.0
import type { FreezeView } from '@writ/contract';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';

/** A freeze as callers see it. `now`: milliseconds on the database's clock. */
export function freezeView(row: FreezeRow, now: number): FreezeView {
  const isOver = row.expires_at !== null && row.expires_at <= now;
  return {
    freeze_id: row.freeze_id,
    scope: row.scope,
    id: row.scope === 'all' ? null : row.subject,
    state: row.lifted_at !== null ? 'lifted' : isOver ? 'expired' : 'standing',
    reason: row.reason,
    placed_by: row.placed_by,
    created_at: row.created_at,
    expires_at: row.expires_at,
    lifted_at: row.lifted_at,
    lifted_by: row.lifted_by,
  };
}
