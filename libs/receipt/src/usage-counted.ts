// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord, UsageCounter } from '@writ/contract';

const WORDS: Readonly<Record<UsageCounter, string>> = {
  host: 'counted by the host, outside of the sandbox',
  agent: 'counted by the agent inside of the sandbox, within its limits: the call may have made it say less',
};

/** Who counted the usage that a record settles, in words; null if the record doesn't state it. */
export function usageCounted({ usage_counted_by }: Pick<AuditRecord, 'usage_counted_by'>): string | null {
  return usage_counted_by === undefined ? null : WORDS[usage_counted_by];
}
