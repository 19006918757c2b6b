// SPDX-License-Identifier: Apache-2.0
export {
  ambiguousEnding,
  endingFault,
  frozenFault,
  keyRevokedFault,
  nothingDone,
  saidBeside,
  stoppedFault,
  unreportedEnding,
  type Ending,
  type EndingFault,
  type EndingResult,
  type HeadChange,
} from './ending.ts';
export { requestsOf, type EndingRequests } from './ending-requests.ts';
export { OutcomeWriter, type EffectHold, type HeldDecision, type AttemptCredentials } from './outcome-writer.ts';
