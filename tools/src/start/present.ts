// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Table from 'cli-table3';
import pc from 'picocolors';
import type { Setup } from '../setup.ts';
import type { JobResult } from './job.ts';
import type { Stack } from './stack.ts';

/** How each end of a call looks; what is not listed has not ended. */
const COLOURS: Readonly<Record<string, (text: string) => string>> = {
  committed: pc.green, no_op: pc.green, rolled_back: pc.yellow, refused: pc.yellow, ambiguous: pc.red,
};

const coloured = (word: string | null): string => (word === null ? pc.dim('–') : (COLOURS[word] ?? pc.cyan)(word));

/** Keeps what the job did where a script can read it. */
export const writeLastRun = (stateDir: string, result: JobResult): string => {
  const path = join(stateDir, 'last-run.json');
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  return path;
};

/** The job's calls as a table, with the verdict below. */
export const presentJob = ({ ok, calls }: JobResult): string => {
  const table = new Table({ head: ['tool', 'state', 'outcome', 'operation', 'receipt'], style: { head: ['bold'], border: ['dim'] } });
  for (const call of calls) {
    const receipt = call.receipt === null ? pc.dim('none') : relative(process.cwd(), call.receipt);
    table.push([call.tool_id, coloured(call.state), coloured(call.tx_outcome), call.operation_id, receipt]);
  }
  const verdict = ok ? pc.green('✔ every call ended as it should, and every receipt verifies offline') : pc.red('✖ something did not end as it should; see above');
  return `${table.toString()}\n${verdict}`;
};

/** Where it listens and what to try next. */
export const presentStack = (setup: Setup, { url, keys }: Stack): string => {
  const here = (path: string): string => relative(process.cwd(), join(setup.stateDir, path)) || path;
  return [
    '',
    pc.bold('Writ is up.'),
    `  API            ${pc.cyan(url)}   (pages: ${url}/docs)`,
    `  platform key   ${keys.platformKey}   (creates tenants)`,
    '',
    pc.bold('Next'),
    `  npx writ operations                     what the agent did`,
    `  npx writ verify RECEIPT --keys ${here('public-keys.json')}`,
    `  ${here('last-run.json')} names the receipts; logs are in ${here('logs')}`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
};
