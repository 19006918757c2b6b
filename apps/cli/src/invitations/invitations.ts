// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { parsePeriod } from '../period.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { createVerb, getVerb } from '../verbs.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);
const Invitation = Type.Object({
  invitation_id: Type.String(),
  email: OrNull,
  subject: OrNull,
  provider: OrNull,
  role: Type.String(),
  state: Type.String(),
  created_at: Type.Integer(),
  expires_at: Type.Integer(),
  member_id: OrNull,
});
type Invitation = Static<typeof Invitation>;
const NewInvitation = Type.Object({ ...Invitation.properties, link: Type.String() });

const PATH = '/v1/invitations';
const NONE = 'none';
/** The page of each deployment on which a link is accepted. */
const PAGE = '/sign-in/invitation';

interface CreateOptions extends CommonOptions {
  readonly email?: string;
  readonly subject?: string;
  readonly provider?: string;
  readonly role: string;
  readonly expires?: string;
}

/** `writ invitation`. */
export function invitationCommand(context: Context): Command {
  return new Command('invitation')
    .addCommand(
      listCommand(context, {
        item: Invitation,
        path: PATH,
        head: ['since', 'invitation', 'for', 'role', 'state', 'expires'],
        rowOf: (each) => [
          momentOf(each.created_at),
          each.invitation_id,
          whomOf(each),
          each.role,
          each.state,
          momentOf(each.expires_at),
        ],
        holder: 'admin',
      }),
      { isDefault: true },
    )
    .addCommand(getCommand(context))
    .addCommand(createCommand(context))
    .addCommand(revokeCommand(context))
    .addCommand(acceptCommand(context));
}

function getCommand(context: Context): Command {
  const command = getVerb().argument('<invitation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    const invitation = await client.read(Invitation, pathOf(id));
    show(context, options, invitation, () => fieldsOf(fieldsFor(invitation)));
  });
}

function createCommand(context: Context): Command {
  const command = createVerb()
    .description('invites a person, who becomes a member by signing in with the link; it is shown once')
    .requiredOption('--role <role>', 'what the member may do: admin, operator, agent or auditor')
    .option('--email <address>', 'whom it is for: the address that the identity provider has verified')
    .option('--subject <sub>', 'whom it is for: the `sub` of the person at `--provider`')
    .option('--provider <name>', 'the only identity provider at which it is good')
    .option('--expires <in>', 'when it ends: after 12h, 7d, and so on; 7d at most, and by default');
  return command.action(async () => {
    const { role, email, subject, provider, expires, ...options } = command.optsWithGlobals<CreateOptions>();
    if ((email === undefined) === (subject === undefined)) throw usage('name either `--email` or `--subject`');
    if (subject !== undefined && provider === undefined) throw usage('`--subject` needs `--provider`');
    const expires_at = expires === undefined ? undefined : Date.now() + parsePeriod('--expires', expires);
    const { client } = connect(context, options, 'admin');
    const body = { role, email, subject, provider, expires_at };
    const made = await client.read(NewInvitation, PATH, { method: 'POST', body });
    show(context, options, made, () => fieldsOf({ ...fieldsFor(made), link: made.link }));
  });
}

function revokeCommand(context: Context): Command {
  const command = deleteCommand()
    .description('revokes an invitation: its link is good for nothing')
    .argument('<invitation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    const invitation = await client.read(Invitation, pathOf(id), { method: 'DELETE' });
    show(context, options, invitation, () => fieldsOf(fieldsFor(invitation)));
  });
}

/** The person has no key yet: the browser signs them in. */
function acceptCommand(context: Context): Command {
  const command = new Command('accept')
    .description('opens the link of an invitation in your browser, where you accept it by signing in')
    .argument('<link>');
  return command.action(async (link: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const url = URL.parse(link);
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      !url.pathname.endsWith(PAGE) ||
      !url.searchParams.has('code')
    )
      throw usage(`the link of an invitation ends like \`${PAGE}?code=writ_i_…\``);
    const opened = await context.openPage(url.href);
    show(context, options, { link: url.href, opened }, () =>
      [
        opened ? `opened ${url.href}` : `open ${url.href} in a browser`,
        'sign in there, and then run `writ login` with the URL and the tenant of your organisation',
      ].join('\n'),
    );
  });
}

const whomOf = ({ email, subject, provider }: Invitation): string =>
  email ?? (subject === null ? NONE : `${subject} at ${provider ?? NONE}`);

const fieldsFor = (invitation: Invitation): Record<string, string> => ({
  invitation: invitation.invitation_id,
  for: whomOf(invitation),
  provider: invitation.provider ?? 'any',
  role: invitation.role,
  state: invitation.state,
  since: momentOf(invitation.created_at),
  expires: momentOf(invitation.expires_at),
  ...(invitation.member_id === null ? {} : { member: invitation.member_id }),
});

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;
