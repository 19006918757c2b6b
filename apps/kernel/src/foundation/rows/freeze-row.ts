// SPDX-License-Identifier: Apache-2.0
import type { FreezeScope } from '@writ/contract';

/** Stands for the whole deployment where a tenant's id would stand: its freezes, and the lock on its rules. */
export const DEPLOYMENT = '*';

/** A row of kernel.freeze as `to_jsonb` gives it. */
export interface FreezeRow {
  readonly freeze_id: string;
  readonly tenant_id: string;
  readonly scope: FreezeScope;
  readonly subject: string;
  readonly reason: string;
  readonly placed_by: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly lifted_at: number | null;
  readonly lifted_by: string | null;
}

/** What is stopped, who said so, when and why: for whoever it stops. */
export function frozenWords({ scope, subject, reason, placed_by, created_at, expires_at }: FreezeRow): string {
  const what = {
    all: 'everything',
    tenant: 'the tenant',
    agent: `the agent \`${subject}\``,
    tool: `the tool \`${subject}\``,
  }[scope];
  const by = placed_by === 'platform' ? 'the platform' : `\`${placed_by}\``;
  return `${what} is frozen since ${moment(created_at)}${expires_at === null ? '' : ` until ${moment(expires_at)}`}, by ${by}: ${reason}`;
}

/** What would let it pass. */
export function frozenHint({ scope, freeze_id }: FreezeRow): string {
  return `${scope === 'all' ? 'the platform' : 'an administrator'} lifts \`${freeze_id}\`; a call that was refused is proposed anew`;
}

const moment = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;
