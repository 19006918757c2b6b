// SPDX-License-Identifier: Apache-2.0
import { idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Instant, listOf, Name, orNull } from '../../edge/requests/fields.ts';
import { ROLES } from '../../edge/requests/route.ts';
import { MEMBER_KINDS, MEMBER_STATES } from '../../store/members/members.ts';

const MemberKind = Type.Enum([...MEMBER_KINDS], {
  description: '`person`: somebody who signed in; `service`: a service account, which decides about no call',
});
const MemberState = Type.Enum([...MEMBER_STATES], {
  description: 'of whoever is not `active`, sessions, tokens and keys are refused',
});
const MemberRole = Type.Enum(ROLES);
const Own = { description: 'added to the roles that scopes and groups give; null: none' };

export const MemberView = Type.Object(
  {
    member_id: idSchema('member'),
    kind: MemberKind,
    name: orNull(
      Type.String({ description: 'of a service account; of a person as keys name them, for administrators alone' }),
    ),
    person_id: orNull({ ...idSchema('person'), description: 'the pseudonym of a person' }),
    issuer: orNull(Type.String({ description: 'where the person signed in first; for administrators alone' })),
    subject: orNull(Type.String({ description: 'their `sub` there; for administrators alone' })),
    role: orNull({ ...MemberRole, ...Own }),
    state: MemberState,
    created_at: Instant,
    created_by: Type.String({ description: 'the API key, or the identity provider where the person signed in' }),
    changed_at: Instant,
    changed_by: Type.String(),
  },
  closed,
);
export type MemberView = Static<typeof MemberView>;
export const MemberList = listOf(MemberView);

export const NewServiceAccount = Type.Object({ name: Name }, closed);
export const MemberPatch = Type.Object(
  { role: Type.Optional(orNull({ ...MemberRole, ...Own })), state: Type.Optional(Type.Enum(['active', 'suspended'])) },
  { ...closed, minProperties: 1 },
);
export type MemberPatch = Static<typeof MemberPatch>;
export const NewIdentity = Type.Object(
  {
    provider: Type.String({ minLength: 1, maxLength: 64, description: 'the name of the identity provider' }),
    subject: Type.String({ minLength: 1, maxLength: 255, description: 'the `sub` of the person there' }),
  },
  closed,
);
export type NewIdentity = Static<typeof NewIdentity>;
export const OffboardBody = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 256, description: 'why; the record has its digest' }) },
  closed,
);
export const OffboardedMember = Type.Object(
  {
    member: MemberView,
    revoked: Type.Array(idSchema('apiKey'), { description: 'keys and credentials that this request revoked' }),
    paused_jobs: Type.Array(idSchema('job'), { description: 'jobs that it paused, since they ran on their behalf' }),
    delegations: Type.Integer({ minimum: 0, description: 'rights to approve that it ended, lent or borrowed' }),
    more: Type.Boolean({ description: 'whether something is left, which ends within a minute' }),
  },
  closed,
);
export type OffboardedMember = Static<typeof OffboardedMember>;
export const MemberFilter = { kind: Type.Optional(MemberKind), state: Type.Optional(MemberState) };

/** Those that occur in several places of the document, by their names there. */
export const MEMBER_SCHEMAS = { Member: MemberView, MemberKind, MemberState, MemberList };
