// SPDX-License-Identifier: Apache-2.0
import type { Invitation, PersonRole } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useInvitations, useMemberChanges } from '../../data/members.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id } from '../../parts/shown.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { en } from '../../words/en.ts';
import { Action, ChoiceField, Doing, Facts, id, MayNotNote, moment, Part, shown, TextField } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';
import { PERSON_ROLES } from './member-dialogs.tsx';

const words = administration.invitations;

/** Invitations to become a member. */
export function Invitations(): ReactNode {
  const list = useInvitations();
  const [link, setLink] = useState<string | null>(null);
  return (
    <Part
      title={administration.tabs.invitations}
      text={words.text}
      end={
        <>
          <Action label={words.create} tone="main" dialog={(close) => <InviteDialog show={setLink} close={close} />} />
          <MayNotNote />
        </>
      }
    >
      <ChosenList
        label={administration.tabs.invitations}
        list={list}
        keyOf={keyOf}
        nameOf={whom}
        columns={COLUMNS}
        details={(invitation) => <Details invitation={invitation} />}
        none={words.none}
      />
      {link === null ? null : (
        <ShownOnce title={words.onceTitle} text={words.onceText} value={link} close={() => setLink(null)} />
      )}
    </Part>
  );
}

const keyOf = ({ invitation_id }: Invitation): string => invitation_id;
const whom = ({ email, subject, invitation_id }: Invitation): ReactNode =>
  shown(email ?? subject) ?? <Id id={invitation_id} isShort />;

const State = ({ state }: Pick<Invitation, 'state'>): ReactNode => (
  <Badge tone={state === 'open' ? 'warn' : state === 'accepted' ? 'good' : null}>{words.states[state]}</Badge>
);

const COLUMNS: readonly Column<Invitation>[] = [
  { label: words.columns.whom, width: 'minmax(8rem, 2fr)', cell: whom },
  { label: words.columns.role, width: '7rem', isMinor: true, cell: ({ role }) => en.roles[role] },
  { label: words.columns.state, width: '6rem', cell: ({ state }) => <State state={state} /> },
  {
    label: words.columns.ends,
    width: '5.5rem',
    isMinor: true,
    cell: ({ state, expires_at }) => (state === 'open' ? <Span at={expires_at} isFuture /> : null),
  },
  { label: words.columns.created, width: '5.5rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

const Details = ({ invitation }: { readonly invitation: Invitation }): ReactNode => (
  <>
    <Facts
      of={[
        [words.columns.state, <State key="state" state={invitation.state} />],
        [words.role, en.roles[invitation.role]],
        [words.provider, shown(invitation.provider)],
        [administration.facts.ends, moment(invitation.expires_at)],
        [words.accepted, moment(invitation.accepted_at)],
        [words.member, memberLink(invitation.member_id)],
        [words.states.revoked, moment(invitation.revoked_at)],
        [administration.facts.created, moment(invitation.created_at)],
        [administration.facts.createdBy, id(invitation.created_by)],
        [administration.facts.id, id(invitation.invitation_id)],
      ]}
    />
    {invitation.state === 'open' ? (
      <Doing>
        <Action
          label={words.revoke}
          tone="danger"
          dialog={(close) => <RevokeDialog invitation={invitation} close={close} />}
        />
      </Doing>
    ) : null}
    <MayNotNote />
  </>
);

const memberLink = (memberId: string | null): ReactNode =>
  memberId === null ? null : (
    <Link to="/administration/members" search={{ chosen: memberId }}>
      <Id id={memberId} />
    </Link>
  );

interface RevokeGiven {
  readonly invitation: Invitation;
  readonly close: () => void;
}

function RevokeDialog({ invitation, close }: RevokeGiven): ReactNode {
  const { revokeInvitation } = useMemberChanges();
  return (
    <ConfirmDialog
      title={words.revokeTitle}
      action={words.revoke}
      isDangerous
      run={() => revokeInvitation(invitation.invitation_id)}
      close={close}
    >
      <p>{whom(invitation)}</p>
      <p>{words.revokeText}</p>
    </ConfirmDialog>
  );
}

interface InviteGiven {
  readonly show: (link: string) => void;
  readonly close: () => void;
}

function InviteDialog({ show, close }: InviteGiven): ReactNode {
  const { invite } = useMemberChanges();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<PersonRole>('operator');
  return (
    <ConfirmDialog
      title={words.createTitle}
      action={words.create}
      mayRun={email.trim() !== ''}
      run={async () => show((await invite({ email: email.trim(), role })).link)}
      close={close}
    >
      <TextField
        label={words.email}
        hint={words.emailHint}
        type="email"
        isFirst
        isRequired
        value={email}
        change={setEmail}
      />
      <ChoiceField label={words.role} value={role} options={PERSON_ROLES} change={setRole} />
    </ConfirmDialog>
  );
}
