// SPDX-License-Identifier: Apache-2.0
import type { FreezeScope } from '@writ/contract';

/** In place of a tenant's id, the whole deployment: for its freezes, and for the lock on its rules. */
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

/** The message for callers of a frozen call: what is frozen, since when, by whom and why. */
export function freezeMessage({ scope, subject, reason, placed_by, created_at, expires_at }: FreezeRow): string {
  const subjectText = {
    all: 'everything',
    tenant: 'the tenant',
    agent: `the agent \`${subject}\``,
    tool: `the tool \`${subject}\``,
  }[scope];
  const by = placed_by === 'platform' ? 'the platform' : `\`${placed_by}\``;
  return `${subjectText} is frozen since ${timeText(created_at)}${expires_at === null ? '' : ` until ${timeText(expires_at)}`}, by ${by}: ${reason}`;
}

/** The hint for callers of a frozen call: how it can pass. */
export function freezeHint({ scope, freeze_id }: FreezeRow): string {
  return `${scope === 'all' ? 'the platform' : 'an administrator'} lifts \`${freeze_id}\`; a call that was refused is proposed anew`;
}

const timeText = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;
