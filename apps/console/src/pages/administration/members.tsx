// SPDX-License-Identifier: Apache-2.0
import type { Member } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useMembers } from '../../data/members.ts';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { en } from '../../words/en.ts';
import { Action, Doing, Facts, id, MayNotNote, moment, Part, shown } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';
import { NewServiceAccountDialog, OffboardDialog, RoleDialog, StateDialog } from './member-dialogs.tsx';

const words = administration.members;

/** People and service accounts of the tenant. */
export function Members(): ReactNode {
  const list = useMembers();
  return (
    <Part
      title={administration.tabs.members}
      text={words.text}
      end={
        <>
          <Action label={words.create} dialog={(close) => <NewServiceAccountDialog close={close} />} />
          <MayNotNote />
        </>
      }
    >
      <ChosenList
        label={administration.tabs.members}
        list={list}
        keyOf={keyOf}
        nameOf={(member) => <Name member={member} />}
        columns={COLUMNS}
        details={(member) => <Details member={member} />}
        none={words.none}
      />
    </Part>
  );
}

const keyOf = ({ member_id }: Member): string => member_id;

/** Auditors see no names: they see pseudonyms. */
const Name = ({ member }: { readonly member: Member }): ReactNode => {
  const name = member.name ?? member.subject;
  return name === null ? <Id id={member.person_id ?? member.member_id} isShort /> : <Shown text={name} />;
};

const State = ({ state }: Pick<Member, 'state'>): ReactNode => (
  <Badge tone={state === 'active' ? 'good' : state === 'suspended' ? 'warn' : null}>{words.states[state]}</Badge>
);

const COLUMNS: readonly Column<Member>[] = [
  { label: words.columns.name, width: 'minmax(8rem, 2fr)', cell: (member) => <Name member={member} /> },
  { label: words.columns.kind, width: '7.5rem', isMinor: true, cell: ({ kind }) => words.kinds[kind] },
  {
    label: words.columns.role,
    width: '7rem',
    isMinor: true,
    cell: ({ role }) => (role === null ? words.noRole : en.roles[role]),
  },
  { label: words.columns.state, width: '6rem', cell: ({ state }) => <State state={state} /> },
  { label: words.columns.since, width: '5.5rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

function Details({ member }: { readonly member: Member }): ReactNode {
  const { me } = useSession();
  return (
    <>
      <Facts of={factsOf(member)} />
      {me.member_id === member.member_id ? <p className={controls['hint']}>{words.you}</p> : null}
      {member.state === 'offboarded' ? null : <Actions member={member} />}
      <MayNotNote />
    </>
  );
}

const Actions = ({ member }: { readonly member: Member }): ReactNode => (
  <Doing>
    {member.kind === 'person' ? (
      <Action label={words.setRole} dialog={(close) => <RoleDialog member={member} close={close} />} />
    ) : null}
    <Action
      label={member.state === 'active' ? words.suspend : words.activate}
      dialog={(close) => <StateDialog member={member} close={close} />}
    />
    <Action label={words.offboard} tone="danger" dialog={(close) => <OffboardDialog member={member} close={close} />} />
  </Doing>
);

const factsOf = (member: Member): readonly (readonly [string, ReactNode])[] => [
  [words.columns.state, <State key="state" state={member.state} />],
  [words.columns.kind, words.kinds[member.kind]],
  [words.role, member.role === null ? words.roleNone : en.roles[member.role]],
  [words.issuer, shown(member.issuer)],
  [words.subject, shown(member.subject)],
  [words.person, id(member.person_id)],
  [administration.facts.created, moment(member.created_at)],
  [administration.facts.createdBy, shown(member.created_by)],
  [administration.facts.changed, moment(member.changed_at)],
  [administration.facts.changedBy, shown(member.changed_by)],
  [administration.facts.id, id(member.member_id)],
];
