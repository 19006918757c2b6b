// SPDX-License-Identifier: Apache-2.0
import type { Bus } from './bus.ts';
import type { TraceHooks } from './trace-hooks.ts';

/** Makes a bus, with the hooks if given. What it opens, `close` of the bus must end. */
export type MakeBus = (options: { readonly trace?: TraceHooks }) => Promise<Bus>;

/** The lane that an implementation under test must have ready, and its consumer. */
export const CONTRACT_LANE = { subject: 'writ.v1.test.work.inline', durable: 'inline' } as const;
