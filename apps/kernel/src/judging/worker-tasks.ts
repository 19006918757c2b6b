// SPDX-License-Identifier: Apache-2.0
import { checkDefinition } from '@writ/policy';
import { COMMAND_BUDGET } from '@writ/risk';
import { readArgumentsText, writeArguments } from './judgement/read-arguments.ts';
import { readBySchema, readDeclared, readHttp, readScript } from './judgement/read-tool.ts';
import { checkPolicy } from './policies/check-policy.ts';
import { readCall, type CallRead, type ReadCall } from './policies/read-call.ts';
import { shellGrammar } from './policies/shell-grammar.ts';

/** The work that judging a call gives to worker threads. */
export const judgingTasks = {
  'args.read': readArgumentsText,
  'args.write': writeArguments,
  'call.read': async (call: ReadCall): Promise<CallRead> => readCall(call, await shellGrammar(), COMMAND_BUDGET),
  'http.read': readHttp,
  'policy.check': checkPolicy,
  'policy.fit': checkDefinition,
  'schema.read': readBySchema,
  'script.read': readScript,
  'values.read': readDeclared,
};
export type JudgingTasks = typeof judgingTasks;
