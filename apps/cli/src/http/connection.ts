// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { CliError, EXIT, usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { contextNamed, LOCAL, readContexts } from '../contexts/contexts-file.ts';
import { SessionKey, signInAgain } from '../login/session-key.ts';
import { Client, type KeySource } from './client.ts';
import { KEY_HOLDERS, type KeyHolder } from './key-holders.ts';

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

export type { KeyHolder } from './key-holders.ts';

/** Where address and key come from. */
export type Source = 'options' | 'environment' | 'context' | 'local';

/** The API, and defaults for omitted options. */
export interface Connection {
  readonly client: Client;
  readonly defaults: Pick<Settings, 'agent_id' | 'workspace_id' | 'capability_token_id'>;
  readonly source: { readonly kind: Source; readonly name: string | null };
}

/**
 * INVARIANT (one source): address and key come from the same place. Otherwise a settings file in somebody else's
 * directory could redirect a key of the environment to any address. The order is: options, environment, context, local
 * set-up.
 *
 * @param holder whose key of the settings file the command uses, unless `--as` names another
 */
export function connect(context: Context, options: CommonOptions, holder: KeyHolder): Connection {
  return (
    connectByPair(context, options) ?? connectByContext(context, options) ?? connectLocally(context, options, holder)
  );
}

/** An address with a key, of the command line, of the environment, or one of each. */
function connectByPair({ env }: Context, options: CommonOptions): Connection | null {
  const isExplicit = options.url !== undefined || options.apiKey !== undefined;
  if (options.context !== undefined) {
    if (isExplicit) throw usage('`--context` goes with neither `--url` nor `--api-key`: it has an address and a key');
    return null;
  }
  const [url, key] = [options.url ?? env.url, options.apiKey ?? env.apiKey];
  if (url === undefined && key === undefined) return null;
  if (url === undefined || key === undefined)
    throw usage(
      `an address and a key go together: ${url === undefined ? '`--url` or WRIT_URL' : '`--api-key` or WRIT_API_KEY'} is missing`,
    );
  const kind = isExplicit ? 'options' : 'environment';
  return { client: new Client(verifyUrl(url), key), defaults: {}, source: { kind, name: null } };
}

/** The named or the current context. `--as` selects a key, and only the local set-up has several. */
function connectByContext(context: Context, options: CommonOptions): Connection | null {
  const named = options.context ?? context.env.context;
  if (named === LOCAL || (named === undefined && options.as !== undefined)) return null;
  const file = readContexts(context.env);
  const name = named ?? file.current ?? LOCAL;
  if (name === LOCAL) return null;
  if (options.as !== undefined)
    throw usage(`\`--as\` selects a key of the local set-up, and the context \`${name}\` has only one`);
  const { url, credential, ...defaults } = contextNamed(file, name);
  const key = credential.kind === 'session' ? sessionOf(context, name) : credential.secret;
  return { client: new Client(verifyUrl(url), key), defaults, source: { kind: 'context', name } };
}

function sessionOf({ env }: Context, name: string): KeySource {
  const session = new SessionKey(env, name);
  return { current: async () => await session.current(), ended: () => signInAgain(name) };
}

function connectLocally(context: Context, options: CommonOptions, holder: KeyHolder): Connection {
  const local = localSettings(context);
  if (local === null)
    throw new CliError(
      'connection',
      'no API is configured: start one with `npm start` in the checkout, create a context (`writ context create NAME --url URL`), or give `--url` and `--api-key` (WRIT_URL, WRIT_API_KEY)',
      EXIT.usage,
    );
  const { path, settings } = local;
  return {
    client: new Client(verifyUrl(settings.url), keyOf(settings, holderOf(options, holder), path)),
    defaults: settings,
    source: { kind: 'local', name: path },
  };
}

/** The settings of what `npm start` runs; null where it runs nothing. */
export function localSettings(context: Context): { readonly path: string; readonly settings: Settings } | null {
  const path = findSettings(context);
  return path === undefined ? null : { path, settings: readSettings(path) };
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

/** An address without a slash at its end. @throws CliError `usage` */
export function verifyUrl(text: string): string {
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
