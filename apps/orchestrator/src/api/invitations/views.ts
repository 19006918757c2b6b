// SPDX-License-Identifier: Apache-2.0
import { idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { ADDRESS } from '../../edge/access/sign-in/verified-address.ts';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';
import { ROLES } from '../../edge/requests/route.ts';
import { INVITATION_STATES } from '../../store/members/invitations.ts';

/** Longest life of an invitation: whoever doesn't answer within a week asks for another one. */
export const LIFE_MS_MAX = 7 * 24 * 3_600_000;

const Role = Type.Enum(ROLES);
const Given = { description: 'becomes the role of the member who accepts it' };
const InvitationState = Type.Enum([...INVITATION_STATES], {
  description: 'an invitation that is not `open` is good for nothing',
});
const Email = Type.String({ pattern: ADDRESS, maxLength: 254, description: 'an address of ASCII characters' });
const Subject = Type.String({ minLength: 1, maxLength: 255, description: 'the `sub` of the person at the provider' });
const Provider = Type.String({ minLength: 1, maxLength: 64, description: 'the name of an identity provider' });

export const InvitationView = Type.Object(
  {
    invitation_id: idSchema('invitation'),
    email: orNull({ ...Email, description: 'whom it is for; for administrators alone' }),
    subject: orNull({ ...Subject, description: 'whom it is for; for administrators alone' }),
    provider: orNull({ ...Provider, description: 'where the person must sign in; null: at any of the tenant' }),
    role: { ...Role, ...Given },
    state: InvitationState,
    created_at: Instant,
    created_by: Type.String({ description: 'the API key, by whose right the role is given' }),
    expires_at: Instant,
    accepted_at: orNull(Instant),
    member_id: orNull({ ...idSchema('member'), description: 'who accepted it' }),
    revoked_at: orNull(Instant),
    revoked_by: orNull(Type.String()),
  },
  closed,
);
export type InvitationView = Static<typeof InvitationView>;
export const InvitationList = listOf(InvitationView);

export const NewInvitationView = Type.Object(
  {
    ...InvitationView.properties,
    link: Type.String({ description: 'for the person alone: shown once and not stored' }),
  },
  closed,
);
export type NewInvitationView = Static<typeof NewInvitationView>;

export const InvitationBody = Type.Object(
  {
    email: Type.Optional(Email),
    subject: Type.Optional(Subject),
    provider: Type.Optional(Provider),
    role: { ...Role, ...Given },
    expires_at: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'milliseconds since the epoch: a week from now at most, and by default',
      }),
    ),
  },
  { ...closed, description: 'whom it is for: either `email`, or `subject` and `provider`' },
);
export type InvitationBody = Static<typeof InvitationBody>;

/** Those that have a name in the document. */
export const INVITATION_SCHEMAS = {
  Invitation: InvitationView,
  InvitationState,
  NewInvitation: NewInvitationView,
  InvitationList,
};
