// SPDX-License-Identifier: Apache-2.0
import { RunEvent, transcriptOf } from '@writ/agent-loop';
import { parseMessage } from '@writ/contract';
import { Command } from 'commander';
import { Type } from 'typebox';
import { CliError } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { Run } from './views.ts';

const Transcript = Type.Object({
  runs: Type.Array(
    Type.Object({ run: Run, input: Type.String(), events: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
  ),
});

/**
 * `writ run record`: a transcript that a model of the provider `transcript` plays back. It prints one JSON value, with
 * or without `--json`.
 */
export function recordCommand(context: Context): Command {
  const command = new Command('record')
    .description('a run as a recorded transcript, which a model of the provider `transcript` plays')
    .argument('<run>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'operator');
    const { run_id, session_id } = await client.read(Run, `/v1/runs/${encodeURIComponent(id)}`);
    const { runs } = await client.read(Transcript, `/v1/sessions/${encodeURIComponent(session_id)}/transcript`);
    const recorded = runs.find(({ run }) => run.run_id === run_id);
    if (recorded === undefined)
      throw new CliError('answer', "the transcript of its session doesn't have the run: was it deleted meanwhile?");
    const events = recorded.events
      .filter(({ kind }) => kind !== 'ended')
      .map(({ seq: _seq, at: _at, ...event }) => parseMessage(RunEvent, event));
    context.write(`${JSON.stringify(transcriptOf(recorded.run.model, recorded.input, events), null, 2)}\n`);
  });
}
