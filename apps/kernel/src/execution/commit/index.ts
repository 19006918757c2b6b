// SPDX-License-Identifier: Apache-2.0
export { CallChanges } from './call-changes.ts';
export { CommitController } from './commit.controller.ts';
export { Commit } from './commit.ts';
export { HoldEffect } from './hold-effect.ts';
export { KeepOutput } from './keep-output.ts';
export { PreviewReports } from './preview-reports.ts';
export { Reruns } from './reruns.ts';
