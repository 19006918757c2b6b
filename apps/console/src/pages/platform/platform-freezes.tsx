// SPDX-License-Identifier: Apache-2.0
import type { Freeze } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useFreezes, useLiftFreeze, usePlaceFreeze } from '../../data/freezes.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { platform } from '../../words/platform.ts';
import { Doing, Facts, id, moment, Part, TextField } from '../administration/bits.tsx';
import { ChosenList, type Column } from '../administration/chosen-list.tsx';
import { PlatformAction } from './platform-action.tsx';

const words = platform.freezes;
const shared = administration.freezes;

/** The emergency stop of the whole deployment. */
export function PlatformFreezes(): ReactNode {
  const list = useFreezes(false);
  return (
    <Part
      title={platform.tabs.freezes}
      text={words.text}
      end={<PlatformAction label={words.stop} tone="danger" dialog={(close) => <StopAllDialog close={close} />} />}
    >
      <ChosenList
        label={platform.tabs.freezes}
        list={list}
        keyOf={keyOf}
        nameOf={({ scope }) => shared.scopes[scope]}
        columns={COLUMNS}
        details={(freeze) => <Details freeze={freeze} />}
        none={words.none}
      />
    </Part>
  );
}

const keyOf = ({ freeze_id }: Freeze): string => freeze_id;

const State = ({ state }: Pick<Freeze, 'state'>): ReactNode => (
  <Badge tone={state === 'standing' ? 'bad' : null}>{shared.states[state]}</Badge>
);

const COLUMNS: readonly Column<Freeze>[] = [
  { label: shared.columns.reason, width: 'minmax(9rem, 1fr)', cell: ({ reason }) => <Shown text={reason} /> },
  { label: shared.columns.state, width: '6rem', cell: ({ state }) => <State state={state} /> },
  { label: shared.columns.since, width: '5.5rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

const Details = ({ freeze }: { readonly freeze: Freeze }): ReactNode => (
  <>
    <Facts
      of={[
        [shared.columns.reason, <Shown key="reason" text={freeze.reason} />],
        [shared.columns.since, moment(freeze.created_at)],
        [shared.until, moment(freeze.expires_at)],
        [shared.lifted, moment(freeze.lifted_at)],
        [administration.facts.id, id(freeze.freeze_id)],
      ]}
    />
    {freeze.state === 'standing' ? (
      <Doing>
        <PlatformAction label={shared.lift} dialog={(close) => <LiftDialog freeze={freeze} close={close} />} />
      </Doing>
    ) : null}
  </>
);

function StopAllDialog({ close }: { readonly close: () => void }): ReactNode {
  const place = usePlaceFreeze();
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={words.stopTitle}
      action={words.stop}
      isDangerous
      mayRun={reason.trim() !== ''}
      run={() => place({ scope: 'all', reason: reason.trim() })}
      close={close}
    >
      <p>{administration.stop.text}</p>
      <TextField
        label={administration.stop.reason}
        hint={administration.stop.reasonHint}
        isFirst
        isRequired
        max={500}
        value={reason}
        change={setReason}
      />
    </ConfirmDialog>
  );
}

function LiftDialog({ freeze, close }: { readonly freeze: Freeze; readonly close: () => void }): ReactNode {
  const lift = useLiftFreeze();
  return (
    <ConfirmDialog title={shared.liftTitle} action={shared.lift} run={() => lift(freeze.freeze_id)} close={close}>
      <p>{shared.liftText}</p>
    </ConfirmDialog>
  );
}
