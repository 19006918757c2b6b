// SPDX-License-Identifier: Apache-2.0
import type { ApiKey } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useApiKeyChanges, useApiKeys } from '../../data/api-keys.ts';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Span, useNow } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { en } from '../../words/en.ts';
import { keyStateOf } from './api-key-state.ts';
import { Action, Doing, Facts, id, MayNotNote, moment, Part, shown } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';
import { NewKeyDialog, RotateDialog } from './key-dialogs.tsx';

const words = administration.keys;

/** The API keys of the tenant. */
export function ApiKeys(): ReactNode {
  const list = useApiKeys();
  const [fresh, setFresh] = useState<string | null>(null);
  return (
    <Part
      title={administration.tabs.keys}
      text={words.text}
      end={
        <>
          <Action label={words.create} tone="main" dialog={(close) => <NewKeyDialog show={setFresh} close={close} />} />
          <MayNotNote />
        </>
      }
    >
      <ChosenList
        label={administration.tabs.keys}
        list={list}
        keyOf={keyOf}
        nameOf={({ name }) => <Shown text={name} />}
        columns={COLUMNS}
        details={(key) => <Details apiKey={key} show={setFresh} />}
        none={words.none}
      />
      {fresh === null ? null : (
        <ShownOnce title={words.onceTitle} text={words.onceText} value={fresh} close={() => setFresh(null)} />
      )}
    </Part>
  );
}

const keyOf = ({ api_key_id }: ApiKey): string => api_key_id;

function State({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const state = keyStateOf(apiKey, useNow());
  return <Badge tone={state === 'good' ? 'good' : null}>{words.states[state]}</Badge>;
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { label: words.columns.name, width: 'minmax(8rem, 2fr)', cell: ({ name }) => <Shown text={name} /> },
  { label: words.columns.role, width: '7rem', isMinor: true, cell: ({ role }) => en.roles[role] },
  { label: words.columns.state, width: '5rem', cell: (key) => <State apiKey={key} /> },
  {
    label: words.columns.used,
    width: '6rem',
    isMinor: true,
    cell: ({ last_used_at }) => (last_used_at === null ? words.neverUsed : <Span at={last_used_at} />),
  },
  { label: words.columns.created, width: '6rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

interface DetailsGiven {
  readonly apiKey: ApiKey;
  readonly show: (key: string) => void;
}

function Details({ apiKey, show }: DetailsGiven): ReactNode {
  const { me } = useSession();
  const isGood = keyStateOf(apiKey, useNow()) === 'good';
  return (
    <>
      <Facts of={factsOf(apiKey)} />
      {me.api_key_id === apiKey.api_key_id ? <p className={controls['hint']}>{words.yours}</p> : null}
      {isGood ? (
        <Doing>
          <Action label={words.rotate} dialog={(close) => <RotateDialog apiKey={apiKey} show={show} close={close} />} />
          <Action
            label={words.revoke}
            tone="danger"
            dialog={(close) => <RevokeDialog apiKey={apiKey} close={close} />}
          />
        </Doing>
      ) : null}
      <MayNotNote />
    </>
  );
}

const factsOf = (key: ApiKey): readonly (readonly [string, ReactNode])[] => [
  [words.columns.state, <State key="state" apiKey={key} />],
  [words.role, en.roles[key.role]],
  [words.agent, key.agent_id === null ? null : <Agent id={key.agent_id} />],
  [words.person, shown(key.principal)],
  [administration.members.kinds.service, id(key.member_id)],
  [words.tools, key.tools === null ? null : <Shown text={key.tools.join(', ')} isCode />],
  [words.scopes, key.scopes === null ? null : <Shown text={key.scopes.join(', ')} isCode />],
  [administration.facts.ends, moment(key.expires_at) ?? administration.facts.never],
  [words.columns.used, moment(key.last_used_at) ?? words.neverUsed],
  [words.rotated, moment(key.rotated_at)],
  [words.former, moment(key.former_until)],
  [words.revoked, moment(key.revoked_at)],
  [administration.facts.created, moment(key.created_at)],
  [administration.facts.createdBy, id(key.created_by)],
  [administration.facts.id, id(key.api_key_id)],
];

function RevokeDialog({ apiKey, close }: { readonly apiKey: ApiKey; readonly close: () => void }): ReactNode {
  const { revoke } = useApiKeyChanges();
  const { me } = useSession();
  return (
    <ConfirmDialog
      title={words.revokeTitle}
      action={words.revoke}
      isDangerous
      run={() => revoke(apiKey.api_key_id)}
      close={close}
    >
      <p>
        <Shown text={apiKey.name} />
      </p>
      {me.api_key_id === apiKey.api_key_id ? <p role="alert">{words.yours}</p> : null}
      <p>{words.revokeText}</p>
    </ConfirmDialog>
  );
}
