// SPDX-License-Identifier: Apache-2.0
import type { Secret } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useSecretChanges, useSecrets } from '../../data/secrets.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { Action, Doing, Facts, id, MayNotNote, moment, Part, shown, TextField } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';

const words = administration.secrets;
const VALUE_CHARS_MAX = 8_192;

/** Secrets by name. */
export function Secrets(): ReactNode {
  const list = useSecrets();
  return (
    <Part
      title={administration.tabs.secrets}
      text={words.text}
      end={
        <>
          <Action label={words.create} tone="main" dialog={(close) => <SetDialog secret={null} close={close} />} />
          <MayNotNote />
        </>
      }
    >
      <ChosenList
        label={administration.tabs.secrets}
        list={list}
        keyOf={keyOf}
        nameOf={({ name }) => <Shown text={name} isCode />}
        columns={COLUMNS}
        details={(secret) => <Details secret={secret} />}
        none={words.none}
      />
    </Part>
  );
}

const keyOf = ({ name }: Secret): string => name;

const COLUMNS: readonly Column<Secret>[] = [
  { label: words.columns.name, width: 'minmax(9rem, 1fr)', cell: ({ name }) => <Shown text={name} isCode /> },
  { label: words.columns.note, width: 'minmax(8rem, 2fr)', isMinor: true, cell: ({ note }) => shown(note) },
  { label: words.columns.version, width: '4rem', isMinor: true, cell: ({ version }) => version },
  { label: words.columns.set, width: '5.5rem', cell: ({ created_at }) => <Span at={created_at} /> },
];

const Details = ({ secret }: { readonly secret: Secret }): ReactNode => (
  <>
    <Facts
      of={[
        [words.columns.note, shown(secret.note)],
        [words.columns.version, secret.version],
        [words.columns.set, moment(secret.created_at)],
        [words.setBy, id(secret.created_by)],
      ]}
    />
    <Doing>
      <Action label={words.replace} dialog={(close) => <SetDialog secret={secret} close={close} />} />
      <Action
        label={words.remove}
        tone="danger"
        dialog={(close) => <RemoveDialog name={secret.name} close={close} />}
      />
    </Doing>
    <MayNotNote />
  </>
);

/** Sets a value. The field is one for passwords: browsers show and suggest none. */
function SetDialog({ secret, close }: { readonly secret: Secret | null; readonly close: () => void }): ReactNode {
  const { set } = useSecretChanges();
  const [name, setName] = useState(secret?.name ?? '');
  const [value, setValue] = useState('');
  const [note, setNote] = useState(secret?.note ?? '');
  const isNew = secret === null;
  return (
    <ConfirmDialog
      title={isNew ? words.createTitle : words.replaceTitle}
      action={isNew ? words.create : words.replace}
      mayRun={name.trim() !== '' && value !== ''}
      run={() => set({ name: name.trim(), value, ...(note.trim() === '' ? {} : { note: note.trim() }) })}
      close={close}
    >
      {isNew ? (
        <TextField label={words.name} hint={words.nameHint} isFirst isRequired max={64} value={name} change={setName} />
      ) : (
        <>
          <p>
            <Shown text={name} isCode />
          </p>
          <p>{words.replaceText}</p>
        </>
      )}
      <TextField
        label={words.value}
        hint={words.valueHint}
        type="password"
        isFirst={!isNew}
        isRequired
        max={VALUE_CHARS_MAX}
        value={value}
        change={setValue}
      />
      <TextField label={words.note} hint={words.noteHint} value={note} change={setNote} />
    </ConfirmDialog>
  );
}

function RemoveDialog({ name, close }: { readonly name: string; readonly close: () => void }): ReactNode {
  const { remove } = useSecretChanges();
  return (
    <ConfirmDialog title={words.removeTitle} action={words.remove} isDangerous run={() => remove(name)} close={close}>
      <p>
        <Shown text={name} isCode />
      </p>
      <p>{words.removeText}</p>
    </ConfirmDialog>
  );
}
