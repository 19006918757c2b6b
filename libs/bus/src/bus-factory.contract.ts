// SPDX-License-Identifier: Apache-2.0
import type { Bus } from './bus.ts';
import type { TraceHooks } from './trace-hooks.ts';

/** Makes a bus, with the trace hooks if given. Closing the bus MUST release everything that this opened. */
export type MakeBus = (options: { readonly trace?: TraceHooks }) => Promise<Bus>;

/** The lane and its consumer, which an implementation under test MUST have set up. */
export const CONTRACT_LANE = { subject: 'writ.v1.test.work.inline', durable: 'inline' } as const;
