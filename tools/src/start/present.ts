// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import pc from 'picocolors';
import type { Setup } from '../setup.ts';
import type { Stack } from './stack.ts';

/** The part of the job's CLI settings that a person needs too. */
interface CliFacts {
  readonly api_key?: string;
  readonly workspace_id?: string;
}

const readFacts = (stateDir: string): CliFacts => {
  const path = join(stateDir, 'cli.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CliFacts) : {};
};

const row = (name: string, value: string, note = ''): string =>
  `  ${name.padEnd(14)} ${pc.cyan(value)}${note === '' ? '' : pc.dim(`   ${note}`)}`;

/** Prints its address, its keys, and commands to try. */
export const presentStack = (setup: Setup, { url, keys }: Stack): string => {
  const { api_key: apiKey, workspace_id: workspace } = readFacts(setup.stateDir);
  const here = (path: string): string => relative(process.cwd(), join(setup.stateDir, path));
  return [
    '',
    pc.bold('Writ is up.'),
    row('API', url, `pages: ${url}/docs/api`),
    row('documentation', `${url}/docs/`),
    ...(apiKey === undefined ? [] : [row('API key', apiKey, 'administrator of the demo tenant')]),
    row('platform key', keys.platformKey, 'creates tenants, nothing else'),
    '',
    pc.bold('Next'),
    row('see', 'npx writ operations list'),
    ...(workspace === undefined ? [] : [row('call', `npx writ call fs.list --args '{}'`)]),
    row('program', `env $(cat ${here('demo.env')}) node PROGRAM`, `its guide: ${url}/docs/tutorials/own-function.html`),
    row('talk', 'npx writ chat', 'a key of a provider in the environment of npm start selects its model'),
    row('verify', `npx writ verify ${here('receipts')}/*.json --keys ${here('public-keys.json')}`),
    row('read', here('last-run.json'), `what the job did; logs are in ${here('logs')}`),
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
};
