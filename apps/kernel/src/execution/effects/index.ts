// SPDX-License-Identifier: Apache-2.0
export { callArguments } from './call-arguments.ts';
export { effectHint, type EffectPolicy, type MoreSupervision, type EffectFindings } from './decide-effect-policy.ts';
export { EffectExaminer } from './effect-examiner.ts';
export { BeyondEffort, Effort, type EffortBounds } from './effort.ts';
export { LARGE_READINGS } from './large-readings.ts';
export { EffectCheck, type CheckedEffect, type EffectCheckParts } from './effect-check.ts';
export { judgeEffect, type EffectFacts } from './judge-effect.ts';
export { EffectApplier, type CheckedDelta, type EndOnHead } from './effect-applier.ts';
export { quotaHint } from './quota-hint.ts';
export { verifyOutput } from './staged-effect.ts';
export { StoredDeltas } from './stored-deltas.ts';
export { ReportReader } from './report-reader.ts';
export { ReportedContents, sealedBy } from './reported-contents.ts';
export {
  openStaged,
  reportOfStaged,
  shownDelta,
  stageCall,
  type CheckedReport,
  type StagedCall,
} from './staged-call.ts';
