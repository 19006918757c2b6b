// SPDX-License-Identifier: Apache-2.0
export { ambiguousEnding, endingFault, frozenFault, nothingDone, requestsOf, saidBeside, stoppedFault, unreportedEnding, type Ending, type EndingFault, type EndingRequests, type EndingResult, type HeadChange } from './ending.ts';
export { Endings, type EffectHold, type EndVerdict, type HeldDecision, type Head, type SeenOperation, type Speaker } from './endings.ts';
