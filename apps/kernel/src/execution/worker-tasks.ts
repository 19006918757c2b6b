// SPDX-License-Identifier: Apache-2.0
import { compareContents, droppedStashes, historyChanges, keptContents, newStarters } from '@writ/effect';
import type { ComparedContents } from './effects/compared-contents.ts';
import { readLasting, readWhole } from './effects/delta-pieces.ts';
import { readResult, redactResult } from './function-calls/function-report.ts';
import { readDelta, readRequestList, verifyResultBytes, writeResult } from './effects/read-report.ts';

/** The work that checking a call's effect gives to worker threads. */
export const executionTasks = {
  'contents.compare': ({ before, after }: ComparedContents) => compareContents(before, after),
  'contents.starters': newStarters,
  'delta.lasting': readLasting,
  'delta.read': readDelta,
  'delta.whole': readWhole,
  'function.redact': redactResult,
  'function.result': readResult,
  'git.history': historyChanges,
  'git.kept': keptContents,
  'git.stashes': droppedStashes,
  'requests.read': readRequestList,
  'result.verify': verifyResultBytes,
  'result.write': writeResult,
};
export type ExecutionTasks = typeof executionTasks;
