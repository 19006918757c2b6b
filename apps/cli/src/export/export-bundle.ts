// SPDX-License-Identifier: Apache-2.0
import { statSync } from 'node:fs';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { parsePeriod } from '../period.ts';
import { saveAnswer } from '../save-answer.ts';
import { fieldsOf } from '../terminal.ts';

/** A range of time needs two passes over the log, at some thousand records a second. */
const BUNDLE_MS = 3_600_000;

interface BundleOptions extends CommonOptions {
  readonly session?: string;
  readonly since?: number;
  readonly until?: number;
  readonly out: string;
}

/** `writ export bundle (--session S | --since T --until T) --out FILE`. */
export function exportBundleCommand(context: Context): Command {
  const command = new Command('bundle')
    .description(
      'a signed archive for an auditor: receipts, and the policies and tools that they name; `writ verify` takes it',
    )
    .option('--session <id>', 'the session whose operations to export')
    .option(
      '--since <when>',
      'from a moment on, such as 2026-01-31T09:30:00Z, or from a period before now, such as 12h',
      (text) => parseMoment('--since', text),
    )
    .option('--until <when>', 'up to this moment', (text) => parseMoment('--until', text))
    .requiredOption('--out <file>', 'a new file, a `.tar`');
  return command.action(async () => {
    const options = command.optsWithGlobals<BundleOptions>();
    const { session, since, until, out } = options;
    if ((session !== undefined) === (since !== undefined || until !== undefined))
      throw usage('name a session or a range: `--session`, or `--since`, `--until` or both');
    if (statSync(out, { throwIfNoEntry: false }) !== undefined)
      throw usage(`\`${out}\` is there already: name another file`);
    const answer = await connect(context, options, 'operator').client.request(
      `/v1/exports/bundle${queryOf({ session, since, until })}`,
      { timeoutMs: BUNDLE_MS },
    );
    const bytes = await saveAnswer(answer, out);
    show(
      context,
      options,
      { file: out, bytes },
      () => `${fieldsOf({ file: out, bytes })}\nverify it: writ verify ${out} --keys FILE`,
    );
  });
}

/** Milliseconds since the epoch: of a moment, or of now minus a period. */
function parseMoment(option: string, text: string): number {
  if (/^\d+[a-z]*$/i.test(text)) return Date.now() - parsePeriod(option, text);
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(moment) || moment < 0)
    throw usage(
      `\`${option} ${text}\`: it takes a moment such as \`2026-01-31T09:30:00Z\`, or a period before now such as \`12h\``,
    );
  return moment;
}
