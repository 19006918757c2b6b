// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import pc from 'picocolors';
import type { Setup } from '../setup.ts';
import { consoleSettings } from './console.ts';
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

/** The rows of the console, and of the key that signs in to it. */
const consoleRows = ({ env }: Pick<Setup, 'env'>, publicUrl: string, apiKey: string | undefined): string[] => {
  const signsIn = consoleSettings(env, 0).WRIT_KEY_SESSIONS === 'true' && apiKey !== undefined;
  const how = signsIn ? 'sign in with the API key below' : 'sign in at the identity provider of your tenant';
  return [
    ...(env['WRIT_CONSOLE'] === 'false' ? [] : [row('console', `${publicUrl}/console/`, how)]),
    ...(apiKey === undefined ? [] : [row('API key', apiKey, 'administrator of the demo tenant')]),
  ];
};

/** Prints its addresses, the console's first, its keys, and commands to try. */
export const presentStack = (
  setup: Pick<Setup, 'stateDir' | 'env'>,
  { url, publicUrl, keys }: Pick<Stack, 'url' | 'publicUrl' | 'keys'>,
): string => {
  const { api_key: apiKey, workspace_id: workspace } = readFacts(setup.stateDir);
  const here = (path: string): string => relative(process.cwd(), join(setup.stateDir, path));
  return [
    '',
    pc.bold('Writ is up.'),
    ...consoleRows(setup, publicUrl, apiKey),
    row('API', url, `pages: ${url}/docs/api`),
    row('documentation', `${url}/docs/`),
    row('platform key', keys.platformKey, 'creates tenants, nothing else; it signs nobody in'),
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
