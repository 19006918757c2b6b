// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { createVerb, getVerb, updateVerb } from '../verbs.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);
const Member = Type.Object({
  member_id: Type.String(),
  kind: Type.String(),
  name: OrNull,
  person_id: OrNull,
  issuer: OrNull,
  subject: OrNull,
  role: OrNull,
  state: Type.String(),
  created_at: Type.Integer(),
});
type Member = Static<typeof Member>;

const PATH = '/v1/members';
const NONE = 'none';

interface UpdateOptions extends CommonOptions {
  /** false: `--no-role` */
  readonly role?: string | boolean;
  readonly suspend?: true;
  readonly activate?: true;
}

const Offboarded = Type.Object({
  member: Member,
  revoked: Type.Array(Type.String()),
  paused_jobs: Type.Array(Type.String()),
  delegations: Type.Integer(),
  more: Type.Boolean(),
});

interface LinkOptions extends CommonOptions {
  readonly provider: string;
  readonly subject: string;
}

/** `writ member`. */
export function memberCommand(context: Context): Command {
  return new Command('member')
    .addCommand(
      listCommand(context, {
        item: Member,
        path: PATH,
        head: ['since', 'member', 'kind', 'name', 'role', 'state'],
        rowOf: (each) => [
          momentOf(each.created_at),
          each.member_id,
          each.kind,
          each.name ?? each.person_id ?? NONE,
          each.role ?? NONE,
          each.state,
        ],
        holder: 'admin',
      }),
      { isDefault: true },
    )
    .addCommand(getCommand(context))
    .addCommand(createCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(linkCommand(context))
    .addCommand(offboardCommand(context));
}

function getCommand(context: Context): Command {
  const command = getVerb().argument('<member>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    showMember(context, options, await connect(context, options, 'admin').client.read(Member, pathOf(id)));
  });
}

function createCommand(context: Context): Command {
  const command = createVerb()
    .description('makes a service account, which keys can name and which decides about no call')
    .argument('<name>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    await send(context, options, 'POST', PATH, { name });
  });
}

function updateCommand(context: Context): Command {
  const command = updateVerb()
    .description('gives a member a role of its own, or suspends it')
    .argument('<member>')
    .option('--role <role>', 'added to the roles that scopes and groups give')
    .option('--no-role', 'no role of its own any more')
    .option('--suspend', 'refuses its sessions, tokens and keys within a second')
    .option('--activate', 'ends a suspension');
  return command.action(async (id: string) => {
    const { role, suspend, activate, ...options } = command.optsWithGlobals<UpdateOptions>();
    if (suspend === true && activate === true) throw usage('name either `--suspend` or `--activate`');
    const body = {
      ...(typeof role === 'string' ? { role } : {}),
      ...(role === false ? { role: null } : {}),
      ...(suspend === true ? { state: 'suspended' } : {}),
      ...(activate === true ? { state: 'active' } : {}),
    };
    if (Object.keys(body).length === 0) throw usage('name `--role`, `--no-role`, `--suspend` or `--activate`');
    await send(context, options, 'PATCH', pathOf(id), body);
  });
}

function linkCommand(context: Context): Command {
  const command = new Command('link')
    .description('lets a person sign in at another identity provider, too')
    .argument('<member>')
    .requiredOption('--provider <name>', 'the identity provider')
    .requiredOption('--subject <sub>', 'the `sub` of the person there');
  return command.action(async (id: string) => {
    const { provider, subject, ...options } = command.optsWithGlobals<LinkOptions>();
    await send(context, options, 'POST', `${pathOf(id)}/identities`, { provider, subject });
  });
}

function offboardCommand(context: Context): Command {
  const command = new Command('offboard')
    .description('ends for good all that a member holds, lent or approved')
    .argument('<member>')
    .requiredOption('--reason <text>', 'why; the log has its digest');
  return command.action(async (id: string) => {
    const { reason, ...options } = command.optsWithGlobals<CommonOptions & { readonly reason: string }>();
    const { client } = connect(context, options, 'admin');
    const request = { method: 'POST', body: { reason } } as const;
    const ended = await client.read(Offboarded, `${pathOf(id)}/offboard`, request);
    show(context, options, ended, () =>
      fieldsOf({
        offboarded: ended.member.member_id,
        keys: String(ended.revoked.length),
        delegations: String(ended.delegations),
        'paused jobs': ended.paused_jobs.join(' ') || NONE,
        'left to end': ended.more ? 'yes, within a minute' : 'nothing',
      }),
    );
  });
}

async function send(
  context: Context,
  options: CommonOptions,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
): Promise<void> {
  const { client } = connect(context, options, 'admin');
  showMember(context, options, await client.read(Member, path, { method, body }));
}

function showMember(context: Context, options: CommonOptions, member: Member): void {
  show(context, options, member, () =>
    fieldsOf({
      member: member.member_id,
      kind: member.kind,
      name: member.name ?? NONE,
      ...(member.kind === 'person' ? { person: member.person_id ?? NONE } : {}),
      ...(member.issuer === null ? {} : { issuer: member.issuer, subject: member.subject ?? NONE }),
      role: member.role ?? NONE,
      state: member.state,
      since: momentOf(member.created_at),
    }),
  );
}

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;
