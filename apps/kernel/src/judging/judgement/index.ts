// SPDX-License-Identifier: Apache-2.0
export { actionOf, actionOfRow, approvedDigest, toolDigestOf, type Images } from './action.ts';
export { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
export {
  assertedMemory,
  decidedUnder,
  decisionRecord,
  postable,
  reservationRows,
  sameRules,
  sealDecision,
  type DecidedCall,
} from './decision.ts';
export { stricter, type GivenApproval } from './decide-supervision.ts';
export { decideForm, type WellFormed } from './decide-form.ts';
export { askOf, readValueKnown, type ValueAsk } from './decide-value.ts';
export { readSecretsKnown } from './decide-secrets.ts';
export { ToolReader } from './judged-tool.ts';
export { readNamed } from './read-named.ts';
export { decidePreconditions } from './decide-preconditions.ts';
export { decideStanding } from './decide-standing.ts';
export { refuseSpawn, spawnVerdict } from './decide-spawn.ts';
export { delegatorsOf } from './delegators.ts';
export { readFacts, readFactsOfRun, sessionOf } from './facts.ts';
export { Judge, type Question } from './judge.ts';
export { decidePreview } from './decide-preview.ts';
export { amountsOf, endOf, isMutating, laneOf, refuse, reservedOf, type Judgement } from './judgement.ts';
export { jsonSizeOf } from './arguments-size.ts';
export { ArgumentsReader, type KeptArguments, type SentArguments } from './arguments-reader.ts';
export { pastAsked } from './session-past.ts';
export { assertedVersions, readVersions, type Versions } from './versions.ts';
export { hintOf, passReasons } from './would-pass.ts';
