// SPDX-License-Identifier: Apache-2.0
export { decideImage } from './decide-image.ts';
export { actionOf, actionOfRow, approvedDigest, ownImages, toolDigestOf, type Images } from './action.ts';
export { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
export {
  assertedCachedFacts,
  assertedRules,
  decisionRecord,
  postable,
  reservationRows,
  sameRules,
  sealDecision,
  type DecidedCall,
} from './decision.ts';
export { stricter, type GivenApproval } from './decide-supervision.ts';
export { decideForm, type WellFormed } from './decide-form.ts';
export { boundTo } from './decide-resources.ts';
export { valueRequestOf, readValueExists, type ValueRequest } from './decide-value.ts';
export { readExistingSecrets } from './decide-secrets.ts';
export { grantsSecret, readGivenSecrets } from './given-secrets.ts';
export { isStaged, readStagedChange } from './decide-staged.ts';
export { ToolReader } from './judged-tool.ts';
export { readNamedEnvironment } from './read-named-environment.ts';
export { decidePreconditions } from './decide-preconditions.ts';
export { decidePrerequisites } from './decide-prerequisites.ts';
export { refuseSpawn, spawnVerdict } from './decide-spawn.ts';
export { delegatorsOf } from './delegators.ts';
export { readFacts, readFactsOfRun, sessionOf } from './facts.ts';
export { Judge, type JudgementRequest } from './judge.ts';
export { decidePreview, isPreviewable } from './decide-preview.ts';
export {
  amountsOf,
  unchangedOutcome,
  isMutating,
  laneOf,
  redactionsOf,
  refuse,
  reservedOf,
  type Judgement,
} from './judgement.ts';
export { jsonSizeOf } from './arguments-size.ts';
export { ArgumentsReader, type StoredArguments, type SentArguments } from './arguments-reader.ts';
export { pastQueryFor } from './session-past.ts';
export { assertedVersions, readVersions, type Versions } from './versions.ts';
export { personOf } from './person-of.ts';
export { hintOf, passReasons } from './would-pass.ts';
