// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';

/** How much the heap may grow beyond what was in use after the last collection of all of it, in percent of that. */
const GROWTH_PERCENT = 300;

/**
 * Has V8 collect the whole heap once it is four times as large as what was in use, and no earlier by its own estimate. A ledger under load has some 20 MiB in use and
 * makes megabytes of bytes a second that nobody holds for long, and V8 counts those with the old ones: it collected all of it three times a second, by threads for
 * which a small machine has no core, and what was appended just then waited for tens of milliseconds.
 * MUST be called before there is work. V8 reads this flag as it runs, so it may be set then (https://nodejs.org/api/v8.html#v8setflagsfromstringflags); one that doesn't know it says so on stderr.
 */
export function growHeapFreely(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
