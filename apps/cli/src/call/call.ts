// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { isFinal, OperationView, TOOLS, ToolResult } from '@writ/contract';
import { Command } from 'commander';
import { parseAnswer, tellFailure } from '../call-answer.ts';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { readJsonOption } from '../read-json.ts';
import { describeResult, describeWaiting } from '../describe-result.ts';

interface CallOptions extends CommonOptions {
  readonly args?: string;
  readonly workspace?: string;
  readonly token?: string;
  readonly agent?: string;
  readonly key?: string;
  readonly wait?: number;
  readonly dryRun?: boolean;
  readonly taskClass?: string;
  readonly subject?: string;
}

/** What the API grants in one answer, in seconds. */
const WAIT_S_MAX = 60;
const WAIT_S = 30;

/** `writ call TOOL`. */
export function callCommand(context: Context): Command {
  const command = new Command('call').argument('<tool>', 'for instance fs.read; see `writ tools`')
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
    tool_id: tool,
    args,
    capability_token_id: required('--token', options.token ?? defaults.capability_token_id),
    workspace_id: required('--workspace', options.workspace ?? defaults.workspace_id),
    agent_id: options.agent ?? defaults.agent_id,
    idempotency_key: options.key ?? (TOOLS.get(tool)?.mutating === false ? undefined : `cli-${randomUUID()}`),
    task_class: options.taskClass,
    data_subject: options.subject,
    dry_run: options.dryRun,
    provenance: { source: 'cli' },
  };
  const wait = Math.min(options.wait ?? WAIT_S, WAIT_S_MAX);
  const answer = await client.ask('/v1/tool-calls', { method: 'POST', body, headers: { prefer: `wait=${wait}` } });
  tell(context, options, await answer.json());
}

/** A decided call is answered with its result, one that is under way or held with the operation. */
function tell(context: Context, options: CommonOptions, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'tx_outcome' in value) {
    const result = parseAnswer(ToolResult, value);
    show(context, options, result, () => describeResult(result));
    if (result.status === 'error') tellFailure(context, result);
    return;
  }
  const operation = parseAnswer(OperationView, value);
  show(context, options, operation, () => describeWaiting(operation));
  if (isFinal(operation.state) && operation.result?.status === 'error') tellFailure(context, operation.result);
}

function required(option: string, value: string | undefined): string {
  if (value === undefined) throw usage(`\`${option}\` is missing`);
  return value;
}
