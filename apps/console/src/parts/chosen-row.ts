// SPDX-License-Identifier: Apache-2.0
import { useMemo, useRef, useState } from 'react';
import { useKeys } from './keys.ts';

/**
 * The row that `j` and `k` move and Enter opens, by its key: it stays the same one while rows come and go. `open` MUST
 * be stable.
 */
export function useChosenRow(keys: readonly string[], open: (key: string) => void): string | null {
  const [chosen, setChosen] = useState<string | null>(null);
  const latest = useRef({ keys, chosen });
  latest.current = { keys, chosen };
  const handlers = useMemo(() => {
    const move = (by: number): void => {
      const { keys: all, chosen: key } = latest.current;
      const at = key === null ? -1 : all.indexOf(key);
      const next = at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by));
      setChosen(all[next] ?? null);
    };
    const openChosen = (): void => {
      const { chosen: key } = latest.current;
      if (key !== null) open(key);
    };
    return { j: () => move(1), k: () => move(-1), Enter: openChosen, o: openChosen };
  }, [open]);
  useKeys(handlers);
  return chosen;
}
