// SPDX-License-Identifier: Apache-2.0

/** Cells of the bar. */
const CELLS = 30;

/** A progress bar in one line; `done` and `all` count records. */
export function progressLine(done: number, all: number): string {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const full = Math.floor(share * CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${String(Math.floor(share * 100)).padStart(3)} %  ${String(done)} of ${String(all)} records`;
}
