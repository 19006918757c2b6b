// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';

/** How much the heap may grow beyond what was in use after the last collection of all of it, in percent of that. */
const GROWTH_PERCENT = 300;

/**
 * Has V8 collect the whole heap once it is four times as large as what was in use, and no earlier by its own estimate.
 * A process under load that has some tens of MiB in use and makes megabytes a second that nobody holds for long had all
 * of it collected three times a second, since V8 counts bytes outside of the heap with the old ones: by threads for
 * which a small machine has no core, and what was under way just then waited for tens of milliseconds (ADR 0085). MUST
 * be called before there is work. V8 reads this flag as it runs, so it may be set then
 * (https://nodejs.org/api/v8.html#v8setflagsfromstringflags); one that doesn't know it says so on stderr.
 */
export function growHeapFreely(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
