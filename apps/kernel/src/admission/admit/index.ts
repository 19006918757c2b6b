// SPDX-License-Identifier: Apache-2.0
export { AdmitController } from './admit.controller.ts';
export { admissionStatements } from './admission-statements.ts';
export { Admit, type AdmissionReplies } from './admit.ts';
export { type Sources } from './sources.ts';
export { Decisions } from './decisions.ts';
export { FactCache } from './fact-cache.ts';
export { ConcurrencyLimiter } from './concurrency-limiter.ts';
export { HEADROOM_CALLS, type QueueHeadroom } from './queue-headroom.ts';
