// SPDX-License-Identifier: Apache-2.0
import type { Freeze } from '@writ/client/web';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFreezes, useLiftFreeze } from '../../data/freezes.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { Action, Doing, Facts, id, MayNotNote, moment, Part } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';
import { StopDialog } from './stop-dialog.tsx';

const words = administration.freezes;
const PLACERS = ['admin', 'operator'] as const;

/** The emergency stop, and what is stopped now. */
export function Freezes(): ReactNode {
  const { show } = useSearch({ from: '/administration' });
  const list = useFreezes(show !== 'all');
  return (
    <Part title={administration.tabs.freezes} text={words.text} end={<End isAll={show === 'all'} />}>
      <ChosenList
        label={administration.tabs.freezes}
        list={list}
        keyOf={keyOf}
        nameOf={(freeze) => <Subject freeze={freeze} />}
        columns={COLUMNS}
        details={(freeze) => <Details freeze={freeze} />}
        none={words.none}
      />
    </Part>
  );
}

const keyOf = ({ freeze_id }: Freeze): string => freeze_id;

function End({ isAll }: { readonly isAll: boolean }): ReactNode {
  const navigate = useNavigate({ from: '/administration/freezes' });
  return (
    <>
      <label className={controls['inline']}>
        {words.show}
        <select
          className={controls['select']}
          value={isAll ? 'all' : ''}
          onChange={({ target }) =>
            void navigate({ search: target.value === 'all' ? { show: 'all' } : {}, replace: true })
          }
        >
          <option value="">{words.standing}</option>
          <option value="all">{words.all}</option>
        </select>
      </label>
      <Action
        label={administration.stop.button}
        roles={PLACERS}
        tone="danger"
        dialog={(close) => <StopDialog close={close} />}
      />
      <MayNotNote roles={PLACERS} />
    </>
  );
}

const Subject = ({ freeze: { scope, id: subject } }: { readonly freeze: Freeze }): ReactNode => (
  <>
    {words.scopes[scope]}{' '}
    {subject === null || scope === 'tenant' ? null : scope === 'agent' ? (
      <Agent id={subject} />
    ) : (
      <Shown text={subject} isCode />
    )}
  </>
);

const State = ({ state }: Pick<Freeze, 'state'>): ReactNode => (
  <Badge tone={state === 'standing' ? 'bad' : null}>{words.states[state]}</Badge>
);

const COLUMNS: readonly Column<Freeze>[] = [
  { label: words.columns.what, width: 'minmax(9rem, 1fr)', cell: (freeze) => <Subject freeze={freeze} /> },
  { label: words.columns.state, width: '6rem', cell: ({ state }) => <State state={state} /> },
  {
    label: words.columns.reason,
    width: 'minmax(8rem, 2fr)',
    isMinor: true,
    cell: ({ reason }) => <Shown text={reason} />,
  },
  { label: words.columns.since, width: '5.5rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

const Details = ({ freeze }: { readonly freeze: Freeze }): ReactNode => (
  <>
    <Facts
      of={[
        [words.columns.state, <State key="state" state={freeze.state} />],
        [words.columns.reason, <Shown key="reason" text={freeze.reason} />],
        [words.columns.since, moment(freeze.created_at)],
        [words.placedBy, id(freeze.placed_by)],
        [words.until, moment(freeze.expires_at)],
        [words.lifted, moment(freeze.lifted_at)],
        [words.liftedBy, id(freeze.lifted_by)],
        [administration.facts.id, id(freeze.freeze_id)],
      ]}
    />
    {freeze.state !== 'standing' ? null : freeze.scope === 'all' ? (
      <p className={controls['hint']}>{words.allOnly}</p>
    ) : (
      <>
        <Doing>
          <Link to="/activity" search={{ state: 'admitted' }} className={controls['button']}>
            {words.waiting}
          </Link>
          <Action label={words.lift} dialog={(close) => <LiftDialog freeze={freeze} close={close} />} />
        </Doing>
        <MayNotNote />
      </>
    )}
  </>
);

function LiftDialog({ freeze, close }: { readonly freeze: Freeze; readonly close: () => void }): ReactNode {
  const lift = useLiftFreeze();
  return (
    <ConfirmDialog title={words.liftTitle} action={words.lift} run={() => lift(freeze.freeze_id)} close={close}>
      <p>
        <Subject freeze={freeze} /> <Id id={freeze.freeze_id} isShort />
      </p>
      <p>{words.liftText}</p>
    </ConfirmDialog>
  );
}
