// SPDX-License-Identifier: Apache-2.0
import { useKeys } from './keys.ts';

/** Lets `j` and `k` move the focus along the links that have `data-row`. Enter then opens one, as with any link. */
export const useRowFocus = (): void => useKeys(HANDLERS);

function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}

const HANDLERS = { j: () => move(1), k: () => move(-1) };
