// SPDX-License-Identifier: Apache-2.0
export { attemptFacts, readAttemptFacts, type AttemptFacts } from './attempt-facts.ts';
export { AttemptMemory } from './attempt-memory.ts';
