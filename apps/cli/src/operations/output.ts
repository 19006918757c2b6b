// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { OperationView } from '@writ/contract';
import { Command, Option } from 'commander';
import { CliError, EXIT, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { isForPrograms } from '../output/formats.ts';
import { queryOf } from '../http/lists.ts';
import { fieldsOf } from '../terminal.ts';
import { visible, visibleLine } from '../visible.ts';
import { bodyOf } from '../describe-result.ts';
import { followOutput } from './follow-output.ts';

interface OutputOptions extends CommonOptions {
  readonly stream: 'stdout' | 'stderr';
  readonly out?: string;
  readonly follow?: true;
}

/** Time to download the largest kept output over a slow line. */
const OUTPUT_MS = 600_000;

/** `writ operation output OPERATION`. A terminal gets control characters escaped; a file gets the bytes unchanged. */
export function outputCommand(context: Context): Command {
  const command = new Command('output')
    .description('the full output of a command, while it is kept; with `--follow`, while the command runs')
    .argument('<operation>')
    .addOption(new Option('--stream <stream>', 'which').choices(['stdout', 'stderr']).default('stdout'))
    .option('--out <file>', 'a new file for the bytes; printed by default')
    .option('--follow', 'print what the command says as it comes, up to its end');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<OutputOptions>();
    const { out, stream } = options;
    if (options.follow === true) {
      if (out !== undefined || command.getOptionValueSource('stream') === 'cli')
        throw usage('`--follow` goes with neither `--out` nor `--stream`: it prints both streams as they come');
      return await follow(context, options, id);
    }
    if (out !== undefined && statSync(out, { throwIfNoEntry: false }) !== undefined)
      throw usage(`\`${out}\` is there already: name another file`);
    const answer = await connect(context, options, 'admin').client.request(
      `/v1/operations/${encodeURIComponent(id)}/output${queryOf({ stream })}`,
      { timeoutMs: OUTPUT_MS },
    );
    const cut = answer.headers.get('writ-output-cut') === 'true';
    if (cut) context.writeError('cut: the command printed more than is kept, and the end is missing\n');
    if (out !== undefined) {
      const bytes = await save(answer, out);
      return show(context, options, { operation_id: id, stream, out, bytes, cut }, () =>
        fieldsOf({ file: out, bytes, cut: cut ? 'yes' : null }),
      );
    }
    const content = await answer.text();
    if (isForPrograms(options)) return show(context, options, { operation_id: id, stream, content, cut }, () => '');
    context.write(visible(content));
  });
}

/** Prints output as it comes; with `--json`, only the end as one value. The exit status tells how the call ended. */
async function follow(context: Context, options: OutputOptions, id: string): Promise<void> {
  const { client } = connect(context, options, 'admin');
  const isWhole = isForPrograms(options);
  let shown = '';
  const end = await followOutput(client, id, {
    output: (text) => {
      if (isWhole) shown += text;
      else context.write(visible(text));
    },
    note: (text) => context.writeError(`${text}\n`),
  });
  const isWithheld = end.withheld && end.state !== 'refused';
  const output = isWithheld
    ? bodyOf((await client.read(OperationView, `/v1/operations/${encodeURIComponent(id)}`)).result?.result)
    : shown;
  if (isWhole) show(context, options, { operation_id: id, output, end }, () => '');
  else if (isWithheld) context.write(output);
  const why = end.error === null ? '' : `: ${visibleLine(end.error.code)}: ${visibleLine(end.error.message)}`;
  context.writeError(`${visibleLine(end.state)}${why}\n`);
  if (end.error !== null) context.setExit(EXIT.failed);
}

/** Writes a temporary file, and renames it when it is complete and its hash matches. Resolves with its size. */
async function save(answer: Response, file: string): Promise<number> {
  const partial = `${file}.partial`;
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform: (bytes: Buffer, _encoding, done) => {
      hash.update(bytes);
      done(null, bytes);
    },
  });
  try {
    // An empty answer has no stream.
    const body = answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as WebStream);
    await pipeline(body, hashed, createWriteStream(partial, { flags: 'wx' }));
    if (answer.headers.get('etag') !== `"${hash.digest('hex')}"`)
      throw new Error('the bytes are not those that the answer names');
    await rename(partial, file);
    return statSync(file).size;
  } catch (cause) {
    await rm(partial, { force: true });
    throw new CliError('http', 'the output broke off before its end, and nothing was kept of it', undefined, { cause });
  }
}
