// SPDX-License-Identifier: Apache-2.0
import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, queryOf } from '../http/lists.ts';
import { fieldsOf } from '../terminal.ts';
import { FORMATS, readLines, type Format } from './lines.ts';

/** The pause before a reconnect. */
const RECONNECT_MS = 1_000;
/** Codes that may be temporary: no answer, the process is stopping, or the ledger or the database is unavailable. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'http',
  'ledger.unavailable',
  'overloaded',
  'bus.unreachable',
  'database.unavailable',
  'rate.limited',
]);

interface RecordsOptions extends CommonOptions {
  readonly format: Format;
  readonly after?: number;
  readonly limit?: number;
  readonly follow?: boolean;
  readonly out?: string;
}

/** The progress of an export. */
interface Progress {
  after: number | undefined;
  records: number;
}

/**
 * `writ export records`: records as lines, in the order of the log. With `--follow` it runs until it is stopped, and
 * resumes after the last record when a connection ends.
 */
export function exportRecordsCommand(context: Context): Command {
  const command = new Command('records')
    .description('the records of the log, one a line, for other systems to keep or watch')
    .addOption(new Option('--format <format>', 'how a record is written').choices(FORMATS).default('dsse'))
    .option(
      '--after <index>',
      'the leaf index of the last record that you have; from the beginning by default',
      parseCount,
    )
    .option('--limit <n>', 'maximum records', parseCount)
    .option('--follow', 'go on with records as they are logged')
    .option('--out <file>', 'the file to write; with `--after` the records are appended; stdout by default');
  return command.action(async () => {
    const options = command.optsWithGlobals<RecordsOptions>();
    if (options.limit === 0) throw usage('`--limit 0` asks for nothing');
    const { client } = connect(context, options, 'operator');
    const file = options.out === undefined ? null : openOut(options.out, options.after !== undefined);
    const progress: Progress = { after: options.after, records: 0 };
    try {
      await run(context, client, options, progress, file === null ? context.write : (text) => writeAll(file, text));
    } finally {
      if (file !== null) closeSync(file);
    }
    if (options.out !== undefined)
      show(context, options, { out: options.out, records: progress.records, last: progress.after ?? null }, () =>
        fieldsOf({ file: options.out, records: progress.records, last: progress.after }),
      );
  });
}

/** A new file, or an existing one to append to. @throws CliError */
function openOut(path: string, isContinued: boolean): number {
  try {
    return openSync(path, isContinued ? 'a' : 'wx');
  } catch (cause) {
    throw usage(
      (cause as NodeJS.ErrnoException).code === 'EEXIST'
        ? `\`${path}\` is there already: name another file, or go on with it by \`--after\``
        : `\`${path}\` can't be written`,
    );
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

type Write = (text: string) => void;

async function run(
  context: Context,
  client: Client,
  options: RecordsOptions,
  progress: Progress,
  write: Write,
): Promise<void> {
  for (;;) {
    const failure = await readOnce(client, options, progress, write).then(
      () => null,
      (error: unknown) => error,
    );
    const isDone = options.limit !== undefined && progress.records >= options.limit;
    if (
      failure !== null &&
      !(failure instanceof CliError && RETRYABLE_CODES.has(failure.code) && options.follow === true)
    )
      throw failure;
    if (isDone || options.follow !== true) return;
    context.writeError('the connection ended; reconnecting after the last record\n');
    await delay(RECONNECT_MS);
  }
}

/** Reads one connection to its end. @throws CliError where it is refused or breaks off */
async function readOnce(
  client: Client,
  { format, limit, follow }: RecordsOptions,
  progress: Progress,
  write: Write,
): Promise<void> {
  const abort = new AbortController();
  const left = limit === undefined ? undefined : limit - progress.records;
  const answer = await client.request(
    `/v1/exports/records${queryOf({ format, after: progress.after, limit: left, follow: follow === true ? 'true' : undefined })}`,
    { signal: abort.signal },
  );
  try {
    for await (const { text, leafIndex } of readLines(
      (answer.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()),
      format,
    )) {
      if (leafIndex !== (progress.after ?? -1) + 1)
        throw new CliError(
          'answer',
          `leaf ${String(leafIndex)} comes after leaf ${String(progress.after ?? -1)}: records are missing in between`,
        );
      write(text);
      progress.after = leafIndex;
      progress.records += 1;
    }
  } catch (error) {
    // A broken connection: `fetch` throws `TypeError: terminated`.
    if ((error as { name?: unknown }).name !== 'TypeError') throw error;
    const next = progress.after === undefined ? '' : `: go on with \`--after ${String(progress.after)}\``;
    throw new CliError('http', `the export broke off after ${String(progress.records)} records${next}`, undefined, {
      cause: error,
    });
  } finally {
    abort.abort();
  }
}
