// SPDX-License-Identifier: Apache-2.0
export { CommitController } from './commit.controller.ts';
export { Commit } from './commit.ts';
export { Reruns } from './reruns.ts';
export { EffectCheck, type CheckedEffect } from './effect-check.ts';
