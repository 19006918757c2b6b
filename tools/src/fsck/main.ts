// SPDX-License-Identifier: Apache-2.0
// `npm run fsck`: rebuilds every log from its raw rows with the pure libraries alone, and compares all that is stored with it. It shares no
// code with the ledger. Exit status: 0 all is as it should be, 1 something isn't, 2 it could not be checked.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { parseKeySet } from '@writ/receipt';
import pc from 'picocolors';
import { checkLog } from './check-log.ts';
import { RawRows } from './rows.ts';

/** Findings shown of one log; the rest are counted. */
const SHOWN = 20;

async function check(url: string, keysFile: string): Promise<number> {
  const keys = parseKeySet(readFileSync(keysFile));
  const rows = await RawRows.open(url);
  try {
    const logs = await rows.logs();
    let wrong = 0;
    for (const logId of logs) {
      const { size, findings, isUnsigned } = await checkLog(rows, logId, keys);
      wrong += findings.length;
      console.log(`${findings.length === 0 ? pc.green('✔') : pc.red('✖')} ${logId}  ${size} records${isUnsigned ? '  (newest root not signed yet)' : ''}`);
      for (const finding of findings.slice(0, SHOWN)) console.log(`    ${finding}`);
      if (findings.length > SHOWN) console.log(`    and ${findings.length - SHOWN} more`);
    }
    console.log(`${logs.length} logs, ${wrong === 0 ? 'every row is what the leaves make it' : `${wrong} findings`}`);
    return wrong === 0 ? 0 : 1;
  } finally {
    await rows.close();
  }
}

const command = new Command('npm run fsck --')
  .description('Rebuilds every log from its raw rows and says what is not as it should be.')
  .requiredOption('--database <url>', 'Postgres, with a role that may read the schema `ledger` of all tenants (the owner\'s)')
  .requiredOption('--keys <file>', 'public keys as served at /.well-known/writ-keys.json');
command.parse();
const { database, keys } = command.opts<{ database: string; keys: string }>();
process.exitCode = await check(database, keys).catch((error: unknown) => {
  console.error(`it could not be checked: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
