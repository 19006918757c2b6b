// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { DIALECTS, type DialectName } from '@writ/dialects';
import { Command, Option } from 'commander';
import { Type, type Static } from 'typebox';
import { EXIT, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { describeMessage } from '../describe-message.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { proposalOf, type ProposalOptions } from '../proposed-call.ts';
import { visibleLine } from '../visible.ts';

interface TurnOptions extends CommonOptions, ProposalOptions {
  readonly dialect: DialectName;
  readonly session: string;
  readonly turn?: string;
  readonly wait?: number;
}

const WAIT_S = 30;
/** What the API grants in one answer, in seconds. */
const WAIT_S_MAX = 55;

/** What this program looks at; the rest of an answer is shown as it is. */
const Turn = Type.Object({
  turn_id: Type.String(),
  state: Type.String(),
  problems: Type.Array(Type.Object({ level: Type.String(), message: Type.String() })),
  calls: Type.Array(
    Type.Object({
      call_id: Type.String(),
      standing: Type.String(),
      approval_id: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  messages: Type.Array(Type.Record(Type.String(), Type.Unknown())),
});
type Turn = Static<typeof Turn>;

/** `writ turn`: what a model wrote comes from standard input, what it is to be told goes to standard output. */
export function turnCommand(context: Context): Command {
  const command = new Command('turn')
    .description(
      'Reads what a model wrote from standard input, runs the calls in it, and writes what the model is to be told.',
    )
    .addOption(new Option('--dialect <dialect>', 'which it writes').choices([...DIALECTS]).makeOptionMandatory())
    .option('--session <id>', 'the session that it belongs to', 'cli')
    .option(
      '--turn <id>',
      'once in the session for each output: the same one again goes on where it stood; made up unless given',
    )
    .option('--workspace <id>', 'the workspace it works on')
    .option('--token <id>', 'the capability token its calls are made with')
    .option('--agent <id>', 'the agent on whose behalf they are made')
    .option('--wait <seconds>', `how long to wait for their ends, at most ${WAIT_S_MAX}`, parseCount, WAIT_S);
  return command.action(async () => {
    await run(context, command.optsWithGlobals<TurnOptions>());
  });
}

async function run(context: Context, options: TurnOptions): Promise<void> {
  const output = await context.readStdin();
  if (output === '') throw usage('standard input is empty: what the model wrote is read from there');
  const { client, defaults } = connect(context, options, 'agent');
  const { capability_token_id, workspace_id, agent_id } = proposalOf(options, defaults);
  const turn_id = options.turn ?? `cli-${randomUUID()}`;
  const wait = Math.min(options.wait ?? WAIT_S, WAIT_S_MAX) * 1_000;
  const turn = await client.read(Turn, `/v1/turns?wait=${wait}`, {
    method: 'POST',
    body: {
      dialect: options.dialect,
      output,
      session_id: options.session,
      turn_id,
      agent_id,
      capability_token_id,
      workspace_id,
    },
  });
  show(context, options, turn, () => turn.messages.map(describeMessage).join('\n'));
  tell(context, options, turn);
}

const FAILED = new Set(['failed', 'denied', 'timeout', 'cancelled']);

/** What a person is to know, beside what the model is told. */
function tell(context: Context, { session }: TurnOptions, { turn_id, state, problems, calls }: Turn): void {
  for (const { level, message } of problems) context.complain(`${visibleLine(`${level}: ${message}`)}\n`);
  for (const { call_id, approval_id } of calls.filter(({ standing }) => standing === 'held'))
    context.complain(`${visibleLine(`held ${call_id}: waits for ${approval_id ?? 'a person'}`)}\n`);
  if (state !== 'ended')
    context.complain(`${state}: send the same output again with --session ${session} --turn ${turn_id}\n`);
  if (problems.some(({ level }) => level !== 'warning') || calls.some(({ standing }) => FAILED.has(standing)))
    context.setExit(EXIT.failed);
}
