// SPDX-License-Identifier: Apache-2.0
export { CONTENT_BYTES_MAX, type EffectContents, type FilesBefore } from './contents.ts';
export type { ContentFacts } from './content-facts.ts';
export { compareContents } from './compare-contents.ts';
export { examineEffect, type EffectExamination, type ExaminedEffect } from './examine-effect.ts';
export type { EffectFinding } from './finding.ts';
export { GIT_BYTES_MAX } from './git-directory.ts';
export { droppedStashes, type StashAnswer, type StashQuestion } from './git/dropped-stashes.ts';
export { historyChanges, type HistoryAnswer, type HistoryQuestion } from './git/history-changes.ts';
export { keptContents, type KeptQuestion } from './git/kept-contents.ts';
export { newStarters, type LaterContents, type LaterReader, type LaterStarters } from './later-contents.ts';
export { startsLater } from './later-paths.ts';
export { isMadeAgain, isRegenerableName } from './paths.ts';
export type { PastEffect } from './window.ts';
export {
  completeEffectSettings,
  EFFECT_MODES,
  EffectSettings,
  EffectSettingsSource,
  EffectTaskClasses,
  stricterSettings,
  type EffectMode,
} from './settings.ts';
