// SPDX-License-Identifier: Apache-2.0

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** All items of one of the kernel's lists, read page by page. */
export async function allItems<T>(ask: (cursor: string | null) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await ask(cursor);
    all.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}
