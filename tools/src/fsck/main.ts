// SPDX-License-Identifier: Apache-2.0
// `npm run fsck -- --database URL [--keys FILE]`: rebuilds every log from raw rows, and reports differences.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@writ/database';
import { parseKeySet, type KeySet } from '@writ/receipt';
import { parseCosignerKey } from '@writ/signing';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { explain } from '../explain.ts';
import { SetupError } from '../setup-error.ts';
import { defaultStateDir } from '../setup.ts';
import { checkDatabase } from './check-database.ts';
import type { LogReport } from './findings.ts';
import { readSigned, type Reported } from './signed-roots.ts';

/** Colours only at a terminal, never in a pipe or a file, also in CI. */
const paint = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

/** Exit statuses: no finding; a finding; the check was impossible. */
const EXIT = { clean: 0, findings: 1, failed: 2 } as const;

interface Options {
  readonly database: string;
  readonly keys: string;
  readonly signed: readonly string[];
  readonly witness: readonly string[];
}

function parseOptions(args: readonly string[]): Options | number {
  const command = new Command('npm run fsck --')
    .description(
      'Rebuilds every log from raw rows, with the pure libraries and the public keys alone, and says what is not as it was written.',
    )
    .requiredOption('--database <url>', 'as a role that sees every row: a superuser')
    .option('--keys <file>', 'the public keys', join(defaultStateDir(process.env), 'public-keys.json'))
    .option(
      '--signed <files...>',
      'what the ledgers remember having signed (WRIT_LEDGER_MEMORY_FILE of each): shows an end of a log that is gone',
      [],
    )
    .option(
      '--witness <keys...>',
      'keys of witnesses, as `writ witness key` prints them: their cosignatures are verified',
      [],
    )
    .allowExcessArguments(false)
    .exitOverride();
  try {
    return command.parse(args, { from: 'user' }).opts<Options>();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.failed;
    throw error;
  }
}

function readKeys(path: string): KeySet {
  try {
    return parseKeySet(readFileSync(path));
  } catch (cause) {
    throw new SetupError(
      `the public keys can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      ['name their file with --keys FILE'],
      cause,
    );
  }
}

/** Data from outside of the database, read before the database. */
function readSignedRoots({ signed, witness }: Options): Reported {
  try {
    return { signed: readSigned(signed), witnesses: witness.map((text) => parseCosignerKey(text)) };
  } catch (cause) {
    throw new SetupError(
      `what is told of the logs can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      ['give files of WRIT_LEDGER_MEMORY_FILE with --signed, and keys of witnesses with --witness'],
      cause,
    );
  }
}

function present({
  logId,
  leaves,
  roots,
  tiles,
  checkpoints,
  checkpointsByRevoked,
  findings,
  findingCount,
}: LogReport): string {
  const counts = `${leaves} records, ${roots} roots, ${tiles} tiles, ${checkpoints} checkpoints${checkpointsByRevoked === 0 ? '' : `, ${checkpointsByRevoked} of them by a key revoked since`}`;
  const verdict = findingCount === 0 ? paint.green('✔') : paint.red(`✖ ${findingCount} findings`);
  const lines = findings.map(({ where, what }) => `    ${paint.red(where)} ${what}`);
  const more = findingCount > findings.length ? [`    … and ${findingCount - findings.length} more`] : [];
  return [`${verdict} ${logId}: ${counts}`, ...lines, ...more].join('\n');
}

async function fsck(options: Options): Promise<number> {
  const keys = readKeys(options.keys);
  const reported = readSignedRoots(options);
  const client = await connect(options.database, 'writ-fsck');
  let [logs, bad] = [0, 0];
  try {
    for await (const report of checkDatabase(client, keys, reported)) {
      logs += 1;
      if (report.findingCount > 0) bad += 1;
      process.stdout.write(`${present(report)}\n`);
    }
  } finally {
    await client.end();
  }
  process.stdout.write(`${logs} logs, ${bad} with findings\n`);
  return bad === 0 ? EXIT.clean : EXIT.findings;
}

if (import.meta.main) {
  const options = parseOptions(process.argv.slice(2));
  try {
    process.exitCode = typeof options === 'number' ? options : await fsck(options);
  } catch (error) {
    explain(error);
    process.exitCode = EXIT.failed;
  }
  process.disconnect?.();
}
