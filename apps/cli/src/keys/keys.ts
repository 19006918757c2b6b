// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { show, type CommonOptions, type Context } from '../context.ts';
import { usage } from '../cli-error.ts';
import { connect } from '../http/connection.ts';
import { parsePeriod } from '../period.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);
const Key = Type.Object({
  api_key_id: Type.String(),
  name: Type.String(),
  role: Type.String(),
  agent_id: OrNull,
  principal: Type.Optional(OrNull),
  created_at: Type.Integer(),
  revoked_at: Type.Union([Type.Integer(), Type.Null()]),
  // Absent in answers of older servers.
  expires_at: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  last_used_at: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  scopes: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  former_until: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
});
const RevokedKey = Type.Object({
  api_key_id: Type.String(),
  // Absent in answers of older servers.
  remains: Type.Optional(
    Type.Object({
      capability_tokens: Type.Array(Type.Object({ capability_token_id: Type.String() })),
      jobs: Type.Array(Type.Object({ job_id: Type.String(), name: Type.String() })),
      more: Type.Boolean(),
    }),
  ),
});
const NewKey = Type.Object({ ...Key.properties, api_key: Type.String() });

interface CreateOptions extends CommonOptions {
  readonly role: string;
  readonly agent?: string;
  readonly person?: string;
  readonly member?: string;
  readonly tool?: string[];
  readonly scope?: string[];
  readonly expires?: string;
}

interface RotateOptions extends CommonOptions {
  readonly overlap: string;
  readonly expires?: string;
}

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;

/** `writ keys`. */
export function keysCommand(context: Context): Command {
  return new Command('key')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(revokeCommand(context))
    .addCommand(publicCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('API keys, without their secrets')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, Key, '/v1/api-keys', {
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((key) => [
      momentOf(key.created_at),
      key.api_key_id,
      key.role,
      key.name,
      typeof key.last_used_at === 'number' ? momentOf(key.last_used_at) : '',
      stateOf(key),
    ]);
    show(context, options, list, () => tableOf(['created', 'key', 'role', 'name', 'used', ''], rows));
  });
}

function createCommand(context: Context): Command {
  const command = new Command('create')
    .description('a new API key; its secret is shown once')
    .argument('<name>')
    .requiredOption('--role <role>', 'admin, operator, agent, auditor or worker')
    .option('--agent <id>', 'the agent of a key with the role `agent`')
    .option('--tool <name...>', 'for the role `worker`: the tools whose calls it takes, by name, `family.*` or `*`')
    .option('--member <id>', 'the service account whose key it is')
    .option(
      '--person <name>',
      "the person behind the key: keys with one name are one person, who can't approve what any of them proposed",
    )
    .option('--scope <scope...>', 'the only groups of routes that it may use, such as `operations:read`')
    .option('--expires <in>', 'when it ends: after 12h, 90d, and so on; without it, the key has no end');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CreateOptions>();
    const { client } = connect(context, options, 'admin');
    const key = await client.read(NewKey, '/v1/api-keys', {
      method: 'POST',
      body: {
        name,
        role: options.role,
        agent_id: options.agent,
        principal: options.person,
        member_id: options.member,
        tools: options.tool,
        scopes: options.scope,
        expires_at: options.expires === undefined ? undefined : endAfter(options.expires),
      },
    });
    show(context, options, key, () => shownOnce(key));
  });
}

function rotateCommand(context: Context): Command {
  const command = new Command('rotate')
    .description('exchange the secret of a key, which keeps its id and all that depends on it')
    .argument('[key]', 'its id; without it, the key of `--api-key` or WRIT_API_KEY')
    .option('--overlap <period>', 'how long the present secret stays good, such as 1h; up to 7d', '0')
    .option('--expires <in>', 'a new end of the key: after 12h, 90d, and so on, or `never`');
  return command.action(async (id: string | undefined) => {
    const options = command.optsWithGlobals<RotateOptions>();
    if (id === undefined && options.expires !== undefined)
      throw usage('`--expires` needs the id of the key: an administrator sets the end of a key, and no key its own');
    if (id === undefined && (options.apiKey ?? context.env.apiKey) === undefined)
      throw usage('name the key by its id, or give the key itself: `--api-key` or WRIT_API_KEY');
    const overlap_ms = options.overlap === '0' ? 0 : parsePeriod('--overlap', options.overlap);
    const { client } = connect(context, options, 'admin');
    const key = await client.read(NewKey, `/v1/api-keys/${id === undefined ? 'own' : encodeURIComponent(id)}/rotate`, {
      method: 'POST',
      body: { overlap_ms, expires_at: newEndOf(options) },
    });
    show(context, options, key, () => shownOnce(key));
  });
}

const endAfter = (text: string): number => Date.now() + parsePeriod('--expires', text);

function newEndOf({ expires }: RotateOptions): number | null | undefined {
  if (expires === undefined) return undefined;
  return expires === 'never' ? null : endAfter(expires);
}

const shownOnce = (key: Static<typeof NewKey>): string =>
  fieldsOf({
    'API key': key.api_key,
    id: key.api_key_id,
    role: key.role,
    agent: key.agent_id,
    person: key.principal,
    scopes: key.scopes?.join(' '),
    expires: typeof key.expires_at === 'number' ? momentOf(key.expires_at) : null,
    'former secret until': typeof key.former_until === 'number' ? momentOf(key.former_until) : null,
  });

function stateOf({ revoked_at, expires_at }: Static<typeof Key>): string {
  if (revoked_at !== null) return 'revoked';
  if (typeof expires_at !== 'number') return '';
  return `${expires_at <= Date.now() ? 'expired' : 'expires'} ${momentOf(expires_at)}`;
}

function revokeCommand(context: Context): Command {
  const command = new Command('revoke').argument('<key>', 'its id');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { remains } = await connect(context, options, 'admin').client.read(
      RevokedKey,
      `/v1/api-keys/${encodeURIComponent(id)}`,
      { method: 'DELETE' },
    );
    show(context, options, { api_key_id: id, revoked: true, ...(remains === undefined ? {} : { remains }) }, () =>
      [`${id} revoked`, ...remainsLines(remains)].join('\n'),
    );
  });
}

/** The tokens and jobs of a revoked key that are still valid, so that a person can review each. */
function remainsLines(remains: Static<typeof RevokedKey>['remains']): string[] {
  const { capability_tokens = [], jobs = [], more = false } = remains ?? {};
  if (capability_tokens.length + jobs.length === 0) return [];
  const lines = [
    ...capability_tokens.map(({ capability_token_id }) => `token ${capability_token_id}`),
    ...jobs.map(({ job_id, name }) => `job   ${job_id} ${visibleLine(name)}`),
  ];
  return ['what it made stays until somebody revokes or deletes it:', ...lines, ...(more ? ['and more'] : [])];
}

function publicCommand(context: Context): Command {
  const command = new Command('public')
    .description('the public keys that verify receipts')
    .option('--out <file>', 'the file to write; stdout by default');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & { out?: string }>();
    const published = await (
      await connect(context, options, 'admin').client.request('/.well-known/writ-keys.json')
    ).text();
    if (options.out === undefined) return context.write(`${published.trimEnd()}\n`);
    writeFileSync(options.out, `${published.trimEnd()}\n`);
    show(
      context,
      options,
      { out: options.out },
      () =>
        `${options.out}\nwhoever gives you this file decides what verifies: compare it with what the deployment publishes elsewhere`,
    );
  });
}
