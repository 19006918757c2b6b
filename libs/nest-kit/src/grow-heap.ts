// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';

/** How much the heap may grow beyond its size after the last full collection, in percent of that size. */
const GROWTH_PERCENT = 300;

/**
 * Has V8 collect the whole heap only once it is four times as large as after the last full collection.
 *
 * By default, V8 counts bytes outside of the heap as old ones. A loaded process with tens of MiB in use makes
 * short-lived megabytes each second, and V8 collected its whole heap three times a second. The collector's threads
 * delayed requests by tens of milliseconds on a small machine (ADR 0085).
 *
 * MUST be called before there is work. V8 reads this flag while it runs, so it may be set then
 * (https://nodejs.org/api/v8.html#v8setflagsfromstringflags). A V8 without this flag reports that on stderr.
 */
export function growHeapFreely(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
