// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { CliError, EXIT, usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { Client } from './client.ts';

/** The settings file that `npm start` writes. */
const Settings = Type.Object({
  url: Type.String(),
  api_key: Type.String(),
  operator_key: Type.Optional(Type.String()),
  agent_key: Type.Optional(Type.String()),
  platform_key: Type.Optional(Type.String()),
  agent_id: Type.Optional(Type.String()),
  workspace_id: Type.Optional(Type.String()),
  capability_token_id: Type.Optional(Type.String()),
});
export type Settings = Static<typeof Settings>;

/** The keys of the settings file: which one a command uses. */
export const KEY_HOLDERS = ['admin', 'operator', 'agent', 'platform'] as const;
export type KeyHolder = (typeof KEY_HOLDERS)[number];

/** The API, and defaults for omitted options. */
export interface Connection {
  readonly client: Client;
  readonly defaults: Pick<Settings, 'agent_id' | 'workspace_id' | 'capability_token_id'>;
}

/**
 * INVARIANT (one source): address and key come from the same place. Otherwise a settings file in somebody else's
 * directory could redirect a key of the environment to any address.
 *
 * @param holder whose key of the settings file the command uses, unless `--as` names another
 */
export function connect(context: Context, options: CommonOptions, holder: KeyHolder): Connection {
  const url = options.url ?? context.env.url;
  const key = options.apiKey ?? context.env.apiKey;
  if (url !== undefined && key !== undefined) return { client: new Client(checkUrl(url), key), defaults: {} };
  if (url !== undefined || key !== undefined)
    throw usage(
      `an address and a key go together: ${url === undefined ? '`--url` or WRIT_URL' : '`--api-key` or WRIT_API_KEY'} is missing`,
    );
  const path = findSettings(context);
  if (path === undefined) {
    throw new CliError(
      'connection',
      'no API is configured: start one with `npm start` in the checkout, or give `--url` and `--api-key` (WRIT_URL, WRIT_API_KEY)',
      EXIT.usage,
    );
  }
  const settings = readSettings(path);
  return {
    client: new Client(checkUrl(settings.url), keyOf(settings, holderOf(options, holder), path)),
    defaults: settings,
  };
}

function holderOf({ as }: CommonOptions, holder: KeyHolder): KeyHolder {
  const wanted = KEY_HOLDERS.find((each) => each === as);
  if (as !== undefined && wanted === undefined) throw usage(`\`--as ${as}\` is none of ${KEY_HOLDERS.join(', ')}`);
  return wanted ?? holder;
}

function keyOf(settings: Settings, holder: KeyHolder, path: string): string {
  const keys = {
    admin: settings.api_key,
    operator: settings.operator_key,
    agent: settings.agent_key,
    platform: settings.platform_key,
  };
  const key = keys[holder];
  if (key === undefined)
    throw new CliError(
      'connection',
      `\`${path}\` has no key of the ${holder}: give one with \`--url\` and \`--api-key\``,
      EXIT.usage,
    );
  return key;
}

function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw usage(`\`${text}\` is no http address`);
  return url.href.replace(/\/+$/, '');
}

function readSettings(path: string): Settings {
  try {
    return parseMessage(Settings, JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new CliError(
      'connection',
      `\`${path}\` can't be read: start again with \`npm start\`, or delete it`,
      EXIT.usage,
      { cause },
    );
  }
}

/** `.writ/cli.json` of the directory or of one above it. */
function findSettings({ cwd, env }: Context): string | undefined {
  if (env.stateDir !== undefined) {
    const path = join(env.stateDir, 'cli.json');
    return existsSync(path) ? path : undefined;
  }
  for (let dir = cwd; ; dir = dirname(dir)) {
    const path = join(dir, '.writ', 'cli.json');
    if (existsSync(path)) return path;
    if (dir === dirname(dir)) return undefined;
  }
}
