// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { readNamedText } from '../read-named-file.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { describeWorkload, Workloads, workloadSettings, type WorkloadOptions } from './workloads.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);
const Provider = Type.Object({
  name: Type.String(),
  issuer: Type.String(),
  audience: Type.String(),
  tenant_claim: OrNull,
  tenant_value: OrNull,
  scopes: Type.Array(Type.Object({ scope: Type.String(), role: Type.String() })),
  // absent: a Writ of the version before
  groups_claim: Type.Optional(OrNull),
  groups: Type.Optional(Type.Array(Type.Object({ group: Type.String(), role: Type.String() }))),
  person_claim: OrNull,
  agent_id: OrNull,
  agent_claim: OrNull,
  // absent: a Writ of the version before
  ...Workloads,
  sign_in: Type.Union([Type.Object({ client_id: Type.String() }), Type.Null()]),
  redirect_uri: Type.Optional(OrNull),
  session_redirect_uri: Type.Optional(OrNull),
  updated_at: Type.Integer(),
});
const Ended = Type.Object({ name: Type.String(), revoked: Type.Array(Type.String()), more: Type.Boolean() });

const PATH = '/v1/identity-providers';
const NONE = 'none';

interface PutOptions extends CommonOptions, WorkloadOptions {
  readonly audience?: string;
  readonly scope?: readonly string[];
  /** false: `--no-groups` */
  readonly groups: boolean;
  readonly groupsClaim?: string;
  readonly group?: readonly string[];
  readonly personClaim?: string;
  readonly agentId?: string;
  readonly agentClaim?: string;
  /** false: `--no-agent` */
  readonly agent: boolean;
  readonly tenantClaim?: string;
  readonly signInClient?: string | boolean;
  readonly accessTokenFile?: string;
  readonly tenant?: string;
}

interface DenyOptions extends CommonOptions {
  readonly subject?: string;
  readonly jti?: string;
}

/** `writ identity-providers`. */
export function identityProvidersCommand(context: Context): Command {
  return new Command('identity-provider')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(putCommand(context))
    .addCommand(removeCommand(context))
    .addCommand(denyCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list').description('OAuth issuers whose access tokens are accepted');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const list = await connect(context, options, 'admin').client.read(
      Type.Object({ items: Type.Array(Provider) }),
      PATH,
    );
    const rows = list.items.map((each) => [momentOf(each.updated_at), each.name, each.issuer, rightsOf(each)]);
    show(context, options, list, () => tableOf(['since', 'name', 'issuer', 'scopes'], rows));
  });
}

function putCommand(context: Context): Command {
  const command = new Command('set')
    .alias('put')
    .description('registers an issuer, or changes what its tokens may do; what no option names stays as it is')
    .argument('<name>')
    .argument('<issuer>', 'its URL, exactly as in `iss`')
    .option('--scope <scope=role...>', 'which scope gives which role, all of them; at first: `writ:admin` and so on')
    .option('--groups-claim <claim>', 'the claim that lists the groups of the person')
    .option('--group <group=role...>', 'which group gives which role, all of them')
    .option('--no-groups', 'groups give nothing any more: clears what `--groups-claim` and `--group` set')
    .option('--person-claim <claim>', 'the claim that names the person as API keys do')
    .option('--agent-id <id>', 'the agent that tokens of the role `agent` act for')
    .option('--agent-claim <claim>', 'the claim with the id of that agent')
    .option('--no-agent', 'tokens name no agent: clears what `--agent-id` or `--agent-claim` set')
    .option('--tenant-claim <claim=value>', 'for an issuer that serves several tenants')
    .option('--audience <url>', 'what `aud` must contain; default: the public URL')
    .option('--sign-in-client <id>', 'the public client by which people sign in at the issuer in a browser')
    .option('--no-sign-in-client', 'nobody signs in in a browser any more')
    .option('--profile <profile>', '`oauth`, or `kubernetes` for projected tokens of a cluster')
    .option(
      '--workload <account=role...>',
      'a service account as NAMESPACE/NAME, all of them: `=agent:ID`,' +
        ' `=agent:ID:CAPABILITY_TOKEN`, `=worker:TOOL,TOOL` or `=auditor`',
    )
    .option('--no-workloads', 'no service account may call any more')
    .option('--jwks-file <path>', 'the only public keys of the cluster, a JWK set; - is standard input')
    .option('--no-jwks', 'the keys are those that the cluster publishes')
    .option('--access-token-file <path>', "an administrator's access token of the issuer; - is standard input")
    .option('--tenant <id>', 'with the platform key, for this tenant, without an access token');
  return command.action(async (name: string, issuer: string) => {
    const options = command.optsWithGlobals<PutOptions>();
    const { tenant } = options;
    const token = tenant === undefined ? await accessTokenOf(context, options) : {};
    const path = tenant === undefined ? PATH : `/v1/tenants/${encodeURIComponent(tenant)}/identity-providers`;
    const { client } = connect(context, options, tenant === undefined ? 'admin' : 'platform');
    const provider = await client.read(Provider, path, {
      method: 'POST',
      body: { name, ...settingsOf(issuer, options), ...(await workloadSettings(context, options)), ...token },
    });
    show(context, options, provider, () => fieldsOf(membersOf(provider)));
  });
}

/** A file, so that the token is in no list of processes and in no history of a shell. */
async function accessTokenOf(context: Context, { accessTokenFile }: PutOptions): Promise<object> {
  if (accessTokenFile === undefined) return {};
  const text =
    accessTokenFile === '-'
      ? await context.readStdin()
      : readNamedText(resolve(context.cwd, accessTokenFile), '--access-token-file');
  return { access_token: text.trim() };
}

function settingsOf(issuer: string, options: PutOptions): object {
  const tenant = options.tenantClaim === undefined ? undefined : pairOf(options.tenantClaim, '--tenant-claim');
  return {
    issuer,
    ...(options.audience === undefined ? {} : { audience: options.audience }),
    ...(options.scope === undefined
      ? {}
      : {
          scopes: options.scope.map((text) => {
            const [scope, role] = pairOf(text, '--scope');
            return { scope, role };
          }),
        }),
    ...(options.personClaim === undefined ? {} : { person_claim: options.personClaim }),
    ...agentOf(options),
    ...groupsOf(options),
    ...signInOf(options),
    ...(tenant === undefined ? {} : { tenant_claim: tenant[0], tenant_value: tenant[1] }),
  };
}

function groupsOf({ groups, groupsClaim, group }: PutOptions): object {
  if (groups)
    return {
      ...(groupsClaim === undefined ? {} : { groups_claim: groupsClaim }),
      ...(group === undefined ? {} : { groups: group.map(groupRoleOf) }),
    };
  if (groupsClaim !== undefined || group !== undefined)
    throw usage('`--no-groups` goes with neither `--groups-claim` nor `--group`');
  return { groups_claim: null, groups: [] };
}

function groupRoleOf(text: string): object {
  const [group, role] = pairOf(text, '--group');
  return { group, role };
}

/** Commander sets true where neither of the two options is there. */
function signInOf({ signInClient }: PutOptions): object {
  if (signInClient === false) return { sign_in: null };
  return typeof signInClient === 'string' ? { sign_in: { client_id: signInClient } } : {};
}

function agentOf({ agent, agentId, agentClaim }: PutOptions): object {
  if (agent)
    return {
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(agentClaim === undefined ? {} : { agent_claim: agentClaim }),
    };
  if (agentId !== undefined || agentClaim !== undefined)
    throw usage('`--no-agent` goes with neither `--agent-id` nor `--agent-claim`');
  return { agent_id: null, agent_claim: null };
}

function removeCommand(context: Context): Command {
  const command = deleteCommand()
    .description('removes an issuer: its tokens are refused, and their calls and streams end')
    .argument('<name>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const ended = await endedBy(context, options, pathOf(name), { method: 'DELETE' });
    show(context, options, ended, () => fieldsOf({ removed: name, credentials: String(ended.revoked.length) }));
  });
}

function denyCommand(context: Context): Command {
  const command = new Command('deny')
    .description('refuses a subject, or one token, though the issuer still vouches for it')
    .argument('<name>')
    .option('--subject <sub>', 'a `sub`, with all its tokens')
    .option('--jti <jti>', 'one token');
  return command.action(async (name: string) => {
    const { subject, jti, ...common } = command.optsWithGlobals<DenyOptions>();
    if ((subject === undefined) === (jti === undefined)) throw usage('name either `--subject` or `--jti`');
    const request = { method: 'POST', body: { subject, jti } } as const;
    const ended = await endedBy(context, common, `${pathOf(name)}/denials`, request);
    show(context, common, ended, () => fieldsOf({ denied: name, credentials: String(ended.revoked.length) }));
  });
}

/** Sends the request until nothing is left to revoke: one request revokes a hundred credentials at most. */
async function endedBy(
  context: Context,
  options: CommonOptions,
  path: string,
  request: { readonly method: 'DELETE' } | { readonly method: 'POST'; readonly body: object },
): Promise<Static<typeof Ended>> {
  const { client } = connect(context, options, 'admin');
  const revoked: string[] = [];
  let ended: Static<typeof Ended>;
  do {
    ended = await client.read(Ended, path, request);
    revoked.push(...ended.revoked);
  } while (ended.more);
  return { ...ended, revoked };
}

const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;
/** Of a cluster: its workloads. */
const rightsOf = (provider: Static<typeof Provider>): string =>
  [scopesOf(provider), ...(provider.workloads ?? []).map(describeWorkload)].filter((each) => each !== '').join(' ');
const scopesOf = ({ scopes }: Static<typeof Provider>): string =>
  scopes.map(({ scope, role }) => `${scope}=${role}`).join(' ');

/** All that is registered: members that a command leaves out stay as they are. */
const membersOf = (provider: Static<typeof Provider>): Record<string, string> => ({
  name: provider.name,
  issuer: provider.issuer,
  audience: provider.audience,
  'tenant claim': provider.tenant_claim === null ? NONE : `${provider.tenant_claim}=${provider.tenant_value ?? ''}`,
  scopes: scopesOf(provider),
  'groups claim': provider.groups_claim ?? NONE,
  groups: (provider.groups ?? []).map(({ group, role }) => `${group}=${role}`).join(' ') || NONE,
  ...(provider.profile === 'kubernetes'
    ? {
        profile: provider.profile,
        workloads: (provider.workloads ?? []).map(describeWorkload).join(' ') || NONE,
        'pinned keys': provider.pinned_keys?.join(' ') ?? NONE,
      }
    : {}),
  'person claim': provider.person_claim ?? 'none: issuer and `sub` are the person',
  'agent id': provider.agent_id ?? NONE,
  'agent claim': provider.agent_claim ?? NONE,
  'sign-in client': provider.sign_in?.client_id ?? NONE,
  'redirect URI': provider.sign_in === null ? NONE : (provider.redirect_uri ?? NONE),
  'redirect URI of sessions': provider.sign_in === null ? NONE : (provider.session_redirect_uri ?? NONE),
});

/** The last `=` parts both, since scopes are often URLs. */
function pairOf(text: string, option: string): readonly [string, string] {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1)
    throw usage(`\`${option}\` takes two parts with \`=\` between, not \`${text}\``);
  return [text.slice(0, at), text.slice(at + 1)];
}
