// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { TOOLS } from '@writ/contract';
import { Command } from 'commander';
import { tellAnswer } from '../call-answer.ts';
import type { CommonOptions, Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { proposalOf, type ProposalOptions } from '../proposed-call.ts';
import { readJsonOption } from '../read-json.ts';

interface CallOptions extends CommonOptions, ProposalOptions {
  readonly args?: string;
  readonly key?: string;
  readonly wait?: number;
  readonly taskClass?: string;
  readonly subject?: string;
}

/** What the API grants in one answer, in seconds. */
const WAIT_S_MAX = 60;
const WAIT_S = 30;

/** `writ call TOOL`. */
export function callCommand(context: Context): Command {
  const command = new Command('call')
    .argument('<tool>', 'for instance fs.read; see `writ tools`')
    .option('--args <json>', 'arguments: JSON, @FILE, or - for standard input', '{}')
    .option('--workspace <id>', 'the workspace it works on')
    .option('--token <id>', 'the capability token it is made with')
    .option('--agent <id>', 'the agent on whose behalf it is made')
    .option('--key <text>', 'idempotency key: the same one again gives the first outcome; made up unless given')
    .option('--wait <seconds>', `how long to wait for the outcome, at most ${WAIT_S_MAX}`, parseCount, WAIT_S)
    .option('--task-class <word>', 'what it is for')
    .option('--subject <id>', 'whose data it holds, by an id of your own: what it says can be erased by it')
    .option('--dry-run', 'say what would be decided, and run nothing');
  return command.action(async (tool: string) => call(context, tool, command.optsWithGlobals<CallOptions>()));
}

async function call(context: Context, tool: string, options: CallOptions): Promise<void> {
  const args = await readJsonOption(context, '--args', options.args ?? '{}');
  const { client, defaults } = connect(context, options, 'agent');
  const body = {
    ...proposalOf(options, defaults),
    tool_id: tool,
    args,
    idempotency_key: options.key ?? (TOOLS.get(tool)?.mutating === false ? undefined : `cli-${randomUUID()}`),
    task_class: options.taskClass,
    data_subject: options.subject,
  };
  const wait = Math.min(options.wait ?? WAIT_S, WAIT_S_MAX);
  const answer = await client.ask('/v1/tool-calls', { method: 'POST', body, headers: { prefer: `wait=${wait}` } });
  tellAnswer(context, options, await answer.json());
}
