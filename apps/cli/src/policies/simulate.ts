// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { Simulation } from '@writ/contract';
import { Command } from 'commander';
import { EXIT, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { problemLines, readPolicyFile, type PolicyFile } from '../policy-file.ts';
import { proposalOf, type ProposalOptions } from '../proposed-call.ts';
import { readJsonOption } from '../read-json.ts';
import { fieldsOf } from '../terminal.ts';

interface SimulateOptions extends CommonOptions, ProposalOptions {
  readonly args: string;
  readonly policy?: string;
  readonly file?: string;
  readonly session?: string;
  readonly taskClass?: string;
}

/** The exit status of each verdict, as after the call itself. */
const EXIT_OF: Readonly<Record<Simulation['would_be'], number>> = {
  admitted: EXIT.ok,
  held: EXIT.held,
  refused: EXIT.refused,
};

/** `writ policy simulate TOOL`. */
export function simulateCommand(context: Context): Command {
  const command = new Command('simulate')
    .description('the decision that a call would get, and why; nothing is decided, reserved or recorded')
    .argument('<tool>', 'for instance fs.read; see `writ tool list`')
    .option('--args <json>', 'arguments: JSON, @FILE, or - for standard input', '{}')
    .option('--policy <policy>', 'a stored set: its hash, its name or name@version; the one in force by default')
    .option('--file <file>', 'a set that is not stored')
    .option('--workspace <id>', 'the workspace it works on')
    .option('--token <id>', 'the capability token it is made with')
    .option('--agent <id>', 'the agent on whose behalf it is made')
    .option('--session <id>', 'the session that it belongs to, whose labels count')
    .option('--task-class <word>', 'the purpose of the call');
  return command.action(async (tool: string) => {
    const options = command.optsWithGlobals<SimulateOptions>();
    if (options.policy !== undefined && options.file !== undefined)
      throw usage('`--policy` and `--file` both name a set: leave one out');
    const file = options.file === undefined ? null : readPolicyFile(resolve(context.cwd, options.file));
    const args = await readJsonOption(context, '--args', options.args);
    const { client, defaults } = connect(context, options, 'admin');
    const { provenance: _client, dry_run: _never, agent_id, ...rest } = proposalOf(options, defaults);
    if (agent_id === undefined) throw usage('`--agent` is missing');
    const { session, taskClass } = options;
    const call = { ...rest, agent_id, tool_id: tool, args, session_id: session, task_class: taskClass };
    const simulation = await client.read(Simulation, '/v1/policies/simulate', {
      method: 'POST',
      body: { policy: options.policy, document: file?.document, call },
      ...(options.policy === undefined ? {} : { about: { thing: 'policy', name: options.policy } as const }),
    });
    show(context, options, simulation, () => describe(tool, simulation));
    warn(context, file, simulation);
    context.setExit(EXIT_OF[simulation.would_be]);
  });
}

function warn(context: Context, file: PolicyFile | null, { warnings = [] }: Simulation): void {
  for (const warning of warnings)
    context.writeError(`warning: ${file === null ? warning.message : problemLines(file, warning)}\n`);
}

const describe = (tool: string, { explanation, ...simulation }: Simulation): string =>
  fieldsOf({
    tool,
    'would be': simulation.would_be,
    error: simulation.error === null ? null : `${simulation.error.code}: ${simulation.error.message}`,
    hint: simulation.error?.hint,
    mode: simulation.autonomy_mode,
    risk: `${simulation.risk_score}${simulation.risk_basis.length > 0 ? ` by ${simulation.risk_basis.join(', ')}` : ''}`,
    reasons: simulation.reasons.map(({ code, message }) => `${code}: ${message}`).join('\n'),
    approvers: simulation.approvers === null ? null : `${simulation.approvers.count} ${simulation.approvers.role}`,
    labels: simulation.labels.join(', '),
    set: explanation?.policy.name,
    'would pass': explanation?.would_pass.join('\n'),
    'with more': explanation?.better_with.map((each) => `${each.with}: ${each.mode}`).join('\n'),
  });
