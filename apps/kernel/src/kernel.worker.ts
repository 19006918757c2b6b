// SPDX-License-Identifier: Apache-2.0
// The worker program of the kernel: what its threads run. Tasks keep nothing of their input, for the next one is
// another tenant's.
import { compareContents, droppedStashes, historyChanges, keptContents, newStarters } from '@writ/effect';
import { COMMAND_BUDGET } from '@writ/risk';
import { serveTasks } from '@writ/worker-pool/thread';
import { hashesOfDelta } from './management/garbage-collection/delta-hashes.ts';
import { readLasting, readWhole } from './execution/effects/delta-pieces.ts';
import type { ComparedContents } from './execution/effects/effect-examiner.ts';
import { readDelta, readRequestList, verifyResultBytes, writeResult } from './execution/effects/read-report.ts';
import { readArgumentsText, writeArguments } from './judging/judgement/read-arguments.ts';
import { readDeclared, readScript } from './judging/judgement/read-tool.ts';
import { checkPolicy } from './judging/policies/check-policy.ts';
import { readCall, type CallRead, type ReadCall } from './judging/policies/read-call.ts';
import { shellGrammar } from './judging/policies/shell-grammar.ts';
import { readSkillFile } from './management/skills/read-skill.ts';

export const kernelTasks = {
  'args.read': readArgumentsText,
  'args.write': writeArguments,
  'call.read': async (call: ReadCall): Promise<CallRead> => readCall(call, await shellGrammar(), COMMAND_BUDGET),
  'contents.compare': ({ before, after }: ComparedContents) => compareContents(before, after),
  'contents.starters': newStarters,
  'delta.hashes': hashesOfDelta,
  'delta.lasting': readLasting,
  'delta.read': readDelta,
  'delta.whole': readWhole,
  'git.history': historyChanges,
  'git.kept': keptContents,
  'git.stashes': droppedStashes,
  'policy.check': checkPolicy,
  'requests.read': readRequestList,
  'result.verify': verifyResultBytes,
  'result.write': writeResult,
  'script.read': readScript,
  'skill.read': readSkillFile,
  'values.read': readDeclared,
};
export type KernelTasks = typeof kernelTasks;

export default serveTasks(kernelTasks);
