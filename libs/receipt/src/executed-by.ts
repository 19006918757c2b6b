// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';

/** Who executed a call that Writ didn't contain, in words; null for every other record. */
export function executedBy({ execution }: Pick<AuditRecord, 'execution'>): string | null {
  if (execution === undefined) return null;
  const who = execution.executor === null ? "the tenant's own process" : `the holder of ${execution.executor}`;
  return `${who}, which Writ did not contain: the outcome is what it claims`;
}
