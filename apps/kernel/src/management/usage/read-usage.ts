// SPDX-License-Identifier: Apache-2.0
import { CallUsage, Fault, parseMessage, USAGE_DAYS_MAX, type KernelRequest } from '@writ/contract';
import type { CallUsageRow } from '../../foundation/database/functions/usage.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';

const DAY_MS = 24 * 3_600_000;
/** Digits of a day in the position of a page, so that days compare as text. */
const DAY_DIGITS = 20;

/** How many calls a tenant made, by day and other dimensions. Sums of earlier calls, and the later ones themselves. */
export class ReadUsage {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /** @throws Fault `auth.role`, `request.malformed` */
  async calls({ caller, from, to, by, after, limit }: KernelRequest<'usage.calls'>): Promise<CallUsage> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const [since, until] = [dayOf('/from', from), dayOf('/to', to)];
    if (until <= since || until - since > USAGE_DAYS_MAX * DAY_MS)
      throw new Fault('request.malformed', `\`to\` is 1 to ${USAGE_DAYS_MAX} days after \`from\``, { pointer: '/to' });
    const rows = await kernelSql.usageOfCalls(this.#tenants.pool, {
      tenant: caller.tenant_id,
      from: since,
      to: until,
      by,
      after,
      rows: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return parseMessage(CallUsage, {
      items: page.map(viewOf),
      next: rows.length > limit && last !== undefined ? positionOf(last) : null,
    });
  }
}

function dayOf(pointer: string, day: string): number {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day)
    throw new Fault('request.malformed', `\`${day}\` is no day`, { pointer });
  return at;
}

const viewOf = ({ day, ...rest }: CallUsageRow) => ({
  day: day === null ? null : new Date(day).toISOString().slice(0, 10),
  ...rest,
});

const positionOf = ({ day, agent_id, person, api_key_id, tool_id, outcome }: CallUsageRow): string[] => [
  day === null ? '' : String(day).padStart(DAY_DIGITS, '0'),
  ...[agent_id, person, api_key_id, tool_id, outcome].map((member) => member ?? ''),
];
