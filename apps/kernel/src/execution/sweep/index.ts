// SPDX-License-Identifier: Apache-2.0
export { eachInTurn } from './each-in-turn.ts';
export { overdueOutcome, Sweeper, type Swept } from './sweeper.ts';
export { ReleaseController } from './release.controller.ts';
export { Release } from './release.ts';
export { VersionSweeper, type VersionSweeperParts } from './version-sweeper.ts';
export { PreviewSweeper } from './preview-sweeper.ts';
export { OutputSweeper } from './output-sweeper.ts';
export { ValueSweeper } from './value-sweeper.ts';
