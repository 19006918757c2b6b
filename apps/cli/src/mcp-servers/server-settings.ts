// SPDX-License-Identifier: Apache-2.0
import { InvalidArgumentError } from 'commander';
import { usage } from '../cli-error.ts';

/** What `writ mcp-server add` says of a server. */
export interface ServerOptions {
  readonly at?: string;
  readonly secret?: string;
  readonly header?: string;
  readonly prefix?: string;
  readonly oauthClient?: string;
  readonly oauthSecret?: string;
  readonly scope?: readonly string[];
  readonly authorizationServer?: string;
  readonly command?: string;
  readonly image?: string;
  readonly env?: readonly Pair[];
  readonly envSecret?: readonly Pair[];
  readonly host?: readonly string[];
  readonly memory?: number;
  readonly callsMax?: number;
  readonly asks?: readonly string[];
}

type Pair = readonly [name: string, value: string];

/** `NAME=value`, collected. */
export function parsePair(text: string, before: readonly Pair[] = []): readonly Pair[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('it is NAME=value');
  return [...before, [text.slice(0, at), text.slice(at + 1)]];
}

/** Collects texts. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

const OF_ADDRESS = [
  'secret',
  'header',
  'prefix',
  'oauthClient',
  'oauthSecret',
  'scope',
  'authorizationServer',
] as const;
const OF_PROGRAM = ['image', 'env', 'envSecret', 'host', 'memory'] as const;

/**
 * The settings of the server.
 * @param args those of the program
 * @throws CliError of usage where the options fit no server
 */
export function serverSettings(options: ServerOptions, args: readonly string[]): Readonly<Record<string, unknown>> {
  const { at, command } = options;
  if ((at === undefined) === (command === undefined))
    throw usage('say where the server is: `--at URL`, or the program by `--command PROGRAM -- ARGUMENTS`');
  if (at !== undefined && args.length > 0) throw usage('arguments are for a program');
  const strange = (at === undefined ? OF_ADDRESS : OF_PROGRAM).find((name) => options[name] !== undefined);
  if (strange !== undefined)
    throw usage(
      `\`--${strange.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}\` is for ${at === undefined ? 'an address' : 'a program'}`,
    );
  const callsMax = options.callsMax === undefined ? {} : { calls_max: options.callsMax };
  const asks = options.asks === undefined ? {} : { asks: [...options.asks] };
  return { ...(at === undefined ? ofProgram(options, args) : ofAddress(at, options)), ...callsMax, ...asks };
}

function ofAddress(url: string, options: ServerOptions): Readonly<Record<string, unknown>> {
  const credential = credentialOf(options);
  return { transport: 'http', url, ...(Object.keys(credential).length === 0 ? {} : { credential }) };
}

/** What is sent to a server: a secret of the tenant, or the rights of the person behind each call. */
function credentialOf({ secret, header, prefix, ...oauth }: ServerOptions): object {
  const shared = {
    ...(header === undefined ? {} : { header }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(secret === undefined ? {} : { secret }),
  };
  const { oauthClient, oauthSecret, scope, authorizationServer } = oauth;
  if (oauthClient === undefined) {
    if (oauthSecret !== undefined || scope !== undefined || authorizationServer !== undefined)
      throw usage('`--oauth-secret`, `--scope` and `--authorization-server` need `--oauth-client`');
    return shared;
  }
  if (Object.keys(shared).length > 0)
    throw usage(
      '`--oauth-client` excludes `--secret`, `--header` and `--prefix`: each call has the rights of its person',
    );
  return {
    oauth: {
      client_id: oauthClient,
      ...(oauthSecret === undefined ? {} : { client_secret: oauthSecret }),
      scopes: [...(scope ?? [])],
      ...(authorizationServer === undefined ? {} : { authorization_server: authorizationServer }),
    },
  };
}

function ofProgram(
  { command, image, env = [], envSecret = [], host, memory }: ServerOptions,
  args: readonly string[],
): Readonly<Record<string, unknown>> {
  const variables = Object.fromEntries([
    ...env,
    ...envSecret.map(([name, secret]): [string, unknown] => [name, { secret }]),
  ]);
  return {
    transport: 'stdio',
    command: [command, ...args],
    ...(image === undefined ? {} : { image }),
    ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
    ...(host === undefined ? {} : { hosts: host }),
    ...(memory === undefined ? {} : { memory_mb: memory }),
  };
}
