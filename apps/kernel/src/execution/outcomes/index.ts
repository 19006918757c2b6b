// SPDX-License-Identifier: Apache-2.0
export {
  ambiguousOutcome,
  isOutsideLane,
  outcomeFault,
  frozenFault,
  keyRevokedFault,
  unchangedOutcomeOf,
  mergeReasons,
  stoppedFault,
  unreportedOutcome,
  type OutcomeDraft,
  type OutcomeFault,
  type OutcomeResult,
  type HeadChange,
} from './outcome-draft.ts';
export {
  changesResources,
  resourceChangesOf,
  type AgentChangeOrder,
  type PublishedChange,
  type ResourceChange,
} from './resource-changes.ts';
export { requestsOf, type OutcomeRequests } from './outcome-requests.ts';
export { OutcomeWriter, type EffectHold, type HeldDecision, type AttemptCredentials } from './outcome-writer.ts';
