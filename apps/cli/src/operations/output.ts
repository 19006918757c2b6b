// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { Command, Option } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { fieldsOf } from '../terminal.ts';
import { visible } from '../visible.ts';

interface OutputOptions extends CommonOptions {
  readonly stream: 'stdout' | 'stderr';
  readonly out?: string;
}

/** As long as a slow line takes for all that is kept of one command. */
const OUTPUT_MS = 600_000;

/** `writ operations output OPERATION`. A terminal is shown what would steer it; a file gets the bytes as they are. */
export function outputCommand(context: Context): Command {
  const command = new Command('output')
    .description('the whole output of a command, while it is kept')
    .argument('<operation>')
    .addOption(new Option('--stream <stream>', 'which').choices(['stdout', 'stderr']).default('stdout'))
    .option('--out <file>', 'a new file for it, byte for byte; shown unless said');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<OutputOptions>();
    const { out, stream } = options;
    if (out !== undefined && statSync(out, { throwIfNoEntry: false }) !== undefined)
      throw usage(`\`${out}\` is there already: name another file`);
    const answer = await connect(context, options, 'admin').client.ask(
      `/v1/operations/${encodeURIComponent(id)}/output${queryOf({ stream })}`,
      { waitMs: OUTPUT_MS },
    );
    const cut = answer.headers.get('writ-output-cut') === 'true';
    if (cut) context.complain('cut: the command said more than is kept of one, and the end of this is not its end\n');
    if (out !== undefined) {
      const bytes = await save(answer, out);
      return show(context, options, { operation_id: id, stream, out, bytes, cut }, () =>
        fieldsOf({ file: out, bytes, cut: cut ? 'yes' : null }),
      );
    }
    const content = await answer.text();
    if (options.json === true) return show(context, options, { operation_id: id, stream, content, cut }, () => '');
    context.write(visible(content));
  });
}

/** Under another name until it is whole, and what its hash says. Resolves with how many bytes it has. */
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
    // Nothing at all comes as no stream.
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
