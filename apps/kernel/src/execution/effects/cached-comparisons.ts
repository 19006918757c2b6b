// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import type { ContentFacts } from '@writ/effect';

/** Comparisons that are cached, of all tenants: some 4 MB. Each call of a series compares its files again. */
const FACTS_MAX = 10_000;

/** Compares two contents, by their SHA-256. */
export type Compare = (before: string, after: string | null) => Promise<ContentFacts>;

/**
 * Caches the results of comparisons: equal hashes are equal contents. A comparison that its bounds ended is made again.
 */
export function cachedComparisons(max = FACTS_MAX): (tenantId: TenantId, compare: Compare) => Compare {
  const facts = new Map<string, ContentFacts>();
  return (tenantId, compare) => async (before, after) => {
    const key = `${tenantId}/${before}/${after ?? ''}`;
    const found = facts.get(key) ?? (await compare(before, after));
    if (found.blobBefore === '') return found;
    // The most recently used ones stay.
    facts.delete(key);
    facts.set(key, found);
    for (const oldest of facts.keys()) {
      if (facts.size <= max) break;
      facts.delete(oldest);
    }
    return found;
  };
}
