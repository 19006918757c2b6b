// SPDX-License-Identifier: Apache-2.0
export {
  attemptFacts,
  readAttemptFacts,
  type AttemptFacts,
  type FactRows,
  type RedeemedRows,
} from './attempt-facts.ts';
export { AttemptMemory } from './attempt-memory.ts';
