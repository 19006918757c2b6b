// SPDX-License-Identifier: Apache-2.0
import { VERSION } from '@writ/nest-kit/version';
import { parseMessage } from '@writ/contract';
import { Command } from 'commander';
import { Type, type Static, type TSchema } from 'typebox';
import { CliError, EXIT } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { Client } from '../http/client.ts';
import { connect, type Connection } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';

const text = Type.String();
const orNull = Type.Optional(Type.Union([text, Type.Null()]));

/** Who the key is. Open on purpose: a newer server says more. */
const Whoami = Type.Object({
  kind: text,
  role: orNull,
  tenant_id: orNull,
  agent_id: orNull,
  principal: orNull,
  person_id: orNull,
  api_key_id: orNull,
  expires_at: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
});
type Whoami = Static<typeof Whoami>;

/** One page is enough to say how many wait. */
const COUNTED_MAX = 100;
const Counted = Type.Object({
  items: Type.Array(Type.Unknown()),
  next_cursor: Type.Optional(Type.Union([text, Type.Null()])),
});
/** A status is worth no longer wait. */
const STATUS_MS = 5_000;

interface Status {
  readonly version: string;
  readonly source: Connection['source'];
  readonly url: string;
  /** a server that isn't ready answers, and can't do its work now */
  readonly server: 'ready' | 'not_ready' | 'unreachable';
  readonly key: 'accepted' | 'refused' | 'unknown';
  /** null for a server that doesn't say */
  readonly caller: Whoami | null;
  readonly defaults: Connection['defaults'];
  /** null where the key may not list them */
  readonly pending_approvals: string | null;
  readonly emergency_stops: string | null;
}

/** `writ status`. Its exit status tells scripts whether the server is ready and the key is accepted. */
export function statusCommand(context: Context): Command {
  const command = new Command('status').description(
    'what this program talks to, whether it is ready, who the key is, and the defaults of calls',
  );
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const status = await readStatus(connect(context, options, 'operator'));
    show(context, options, status, () => describe(status));
    if (status.server !== 'ready') context.setExit(EXIT.unavailable);
    else if (status.key === 'refused') context.setExit(EXIT.notAllowed);
  });
}

async function readStatus({ client, defaults, source }: Connection): Promise<Status> {
  // Whether it is ready, it says to everybody: also to somebody who is signed out.
  const server = await readiness(new Client(client.url, null));
  const known = { version: VERSION, source, url: client.url, server, defaults: defaultsOf(defaults) };
  if (server === 'unreachable')
    return { ...known, key: 'unknown', caller: null, pending_approvals: null, emergency_stops: null };
  const [{ key, caller }, pending_approvals, emergency_stops] = await Promise.all([
    readCaller(client),
    countOf(client, '/v1/approvals?state=pending&'),
    countOf(client, '/v1/freezes?'),
  ]);
  return { ...known, key, caller, pending_approvals, emergency_stops };
}

/** The members of the settings file that have keys stay out. */
const defaultsOf = ({ agent_id, workspace_id, capability_token_id }: Connection['defaults']) => ({
  ...(agent_id === undefined ? {} : { agent_id }),
  ...(workspace_id === undefined ? {} : { workspace_id }),
  ...(capability_token_id === undefined ? {} : { capability_token_id }),
});

async function readiness(client: Client): Promise<Status['server']> {
  try {
    await client.request('/readyz', { timeoutMs: STATUS_MS });
    return 'ready';
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return error.cause === undefined ? 'not_ready' : 'unreachable';
  }
}

/** The caller, as the server knows it. An older server has no such route, and still tells whether it knows the key. */
async function readCaller(client: Client): Promise<{ key: Status['key']; caller: Whoami | null }> {
  try {
    return { key: 'accepted', caller: await readOpen(client, Whoami, '/v1/whoami') };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.exit === EXIT.notFound) return { key: await acceptance(client), caller: null };
    return { key: error.exit === EXIT.notAllowed ? 'refused' : 'unknown', caller: null };
  }
}

async function acceptance(client: Client): Promise<Status['key']> {
  try {
    await client.request('/v1/tools?limit=1', { timeoutMs: STATUS_MS });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // A role that may not list tools is known to the server.
    if (error.code === 'auth.role' || error.code === 'auth.insufficient_scope') return 'accepted';
    return error.exit === EXIT.notAllowed ? 'refused' : 'unknown';
  }
}

async function countOf(client: Client, path: string): Promise<string | null> {
  try {
    const { items, next_cursor = null } = await readOpen(client, Counted, `${path}limit=${COUNTED_MAX}`);
    return next_cursor === null ? String(items.length) : `${items.length} or more`;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return null;
  }
}

async function readOpen<S extends TSchema>(client: Client, schema: S, path: string): Promise<Static<S>> {
  const answer = await client.request(path, { timeoutMs: STATUS_MS });
  try {
    return parseMessage(schema, await answer.json());
  } catch (cause) {
    throw new CliError('answer', `${client.url}${path} answered what this program does not understand`, undefined, {
      cause,
    });
  }
}

const SOURCES: Readonly<Record<Connection['source']['kind'], string>> = {
  options: 'the command line',
  environment: 'WRIT_URL and WRIT_API_KEY',
  context: 'the context',
  local: 'the local set-up',
};

function describe(status: Status): string {
  const { source, caller, defaults } = status;
  return fieldsOf({
    writ: status.version,
    'settings of': `${SOURCES[source.kind]}${source.name === null ? '' : ` ${visibleLine(source.name)}`}`,
    address: status.url,
    server: status.server.replace('_', ' '),
    key: status.key,
    tenant: caller?.tenant_id,
    role: caller?.role,
    person: caller?.principal ?? caller?.person_id,
    [caller?.kind === 'session' ? 'signed in until' : 'key until']: caller?.expires_at
      ? momentOf(caller.expires_at)
      : null,
    agent: caller?.agent_id ?? defaults.agent_id,
    workspace: defaults.workspace_id,
    token: defaults.capability_token_id,
    'calls that wait for a person': status.pending_approvals,
    'emergency stops': status.emergency_stops,
  });
}
