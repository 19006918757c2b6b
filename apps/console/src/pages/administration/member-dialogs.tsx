// SPDX-License-Identifier: Apache-2.0
import type { Member, PersonRole } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useMemberChanges } from '../../data/members.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { administration } from '../../words/administration.ts';
import { en } from '../../words/en.ts';
import { ChoiceField, TextField } from './bits.tsx';

const words = administration.members;

interface MemberGiven {
  readonly member: Member;
  readonly close: () => void;
}

/** Roles that a person can have. */
export const PERSON_ROLES = (['operator', 'auditor', 'admin', 'agent'] as const).map(
  (role) => [role, en.roles[role]] as const,
);

const Whom = ({ member }: { readonly member: Member }): ReactNode => (
  <p>
    {member.name === null ? null : <Shown text={member.name} />} <Id id={member.member_id} isShort />
  </p>
);

export function RoleDialog({ member, close }: MemberGiven): ReactNode {
  const { change } = useMemberChanges();
  const [role, setRole] = useState<PersonRole | ''>(member.role ?? '');
  return (
    <ConfirmDialog
      title={words.setRole}
      action={words.setRole}
      run={() => change(member.member_id, { role: role === '' ? null : role })}
      close={close}
    >
      <Whom member={member} />
      <p>{words.setRoleText}</p>
      <ChoiceField
        label={words.role}
        value={role}
        options={[['', words.roleNone] as const, ...PERSON_ROLES]}
        change={setRole}
      />
    </ConfirmDialog>
  );
}

export function StateDialog({ member, close }: MemberGiven): ReactNode {
  const { change } = useMemberChanges();
  // What the dialog says stays what it does, also when the list is read again meanwhile.
  const [isSuspending] = useState(member.state === 'active');
  return (
    <ConfirmDialog
      title={isSuspending ? words.suspendTitle : words.activateTitle}
      action={isSuspending ? words.suspend : words.activate}
      isDangerous={isSuspending}
      run={() => change(member.member_id, { state: isSuspending ? 'suspended' : 'active' })}
      close={close}
    >
      <Whom member={member} />
      <p>{isSuspending ? words.suspendText : words.activateText}</p>
    </ConfirmDialog>
  );
}

export function OffboardDialog({ member, close }: MemberGiven): ReactNode {
  const { offboard } = useMemberChanges();
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={words.offboardTitle}
      action={words.offboard}
      isDangerous
      mayRun={reason.trim() !== ''}
      run={() => offboard(member.member_id, reason.trim())}
      close={close}
    >
      <Whom member={member} />
      <p>{words.offboardText}</p>
      <TextField label={words.reason} isFirst isRequired max={500} value={reason} change={setReason} />
    </ConfirmDialog>
  );
}

export function NewServiceAccountDialog({ close }: { readonly close: () => void }): ReactNode {
  const { createServiceAccount } = useMemberChanges();
  const [name, setName] = useState('');
  return (
    <ConfirmDialog
      title={words.createTitle}
      action={words.create}
      mayRun={name.trim() !== ''}
      run={() => createServiceAccount(name.trim())}
      close={close}
    >
      <p>{words.createText}</p>
      <TextField
        label={administration.keys.name}
        hint={administration.keys.nameHint}
        isFirst
        isRequired
        max={64}
        value={name}
        change={setName}
      />
    </ConfirmDialog>
  );
}
