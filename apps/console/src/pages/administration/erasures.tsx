// SPDX-License-Identifier: Apache-2.0
import type { Erasure } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useErasures } from '../../data/erasures.ts';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment, Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { Action, Facts, id, MayNotNote, moment, Part } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';
import { EraseDialog } from './erase-dialog.tsx';

const words = administration.erasures;

/** What was erased, and by whose request. */
export function Erasures(): ReactNode {
  const list = useErasures();
  return (
    <Part
      title={administration.tabs.erasures}
      text={words.text}
      end={
        <>
          <Action label={words.create} tone="danger" dialog={(close) => <EraseDialog close={close} />} />
          <MayNotNote />
        </>
      }
    >
      <ChosenList
        label={administration.tabs.erasures}
        list={list}
        keyOf={keyOf}
        nameOf={(erasure) => <What erasure={erasure} />}
        columns={COLUMNS}
        details={(erasure) => <Details erasure={erasure} />}
        none={words.none}
      />
    </Part>
  );
}

const keyOf = ({ erasure_id }: Erasure): string => erasure_id;

const What = ({ erasure }: { readonly erasure: Erasure }): ReactNode => (
  <>
    {words.selectors[erasure.selector]}{' '}
    {erasure.operation_id === null ? null : <Id id={erasure.operation_id} isShort />}
    {erasure.session_id === null ? null : <Id id={erasure.session_id} isShort />}
    {erasure.subject === null ? null : <Shown text={erasure.subject} />}
    {erasure.before === null ? null : <Moment at={erasure.before} />}
  </>
);

const State = ({ state }: Pick<Erasure, 'state'>): ReactNode => (
  <Badge tone={state === 'running' ? 'warn' : 'good'}>{words.states[state]}</Badge>
);

const COLUMNS: readonly Column<Erasure>[] = [
  { label: words.columns.what, width: 'minmax(11rem, 2fr)', cell: (erasure) => <What erasure={erasure} /> },
  { label: words.columns.state, width: '4.5rem', cell: ({ state }) => <State state={state} /> },
  {
    label: words.columns.reason,
    width: 'minmax(6rem, 1fr)',
    isMinor: true,
    cell: ({ reason_code }) => <Shown text={reason_code} isCode />,
  },
  { label: words.columns.calls, width: '4rem', isMinor: true, cell: ({ operations }) => operations },
  { label: words.columns.when, width: '5.5rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

const Details = ({ erasure }: { readonly erasure: Erasure }): ReactNode => (
  <Facts
    of={[
      [words.columns.state, <State key="state" state={erasure.state} />],
      [words.columns.reason, <Shown key="reason" text={erasure.reason_code} isCode />],
      [words.columns.calls, erasure.operations],
      [words.unfinished, erasure.unfinished === 0 ? null : erasure.unfinished],
      [words.sessions, erasure.sessions ?? null],
      [words.runs, erasure.runs ?? null],
      [words.records, erasure.records],
      [words.selectors.operation, operationLink(erasure.operation_id)],
      [words.columns.when, moment(erasure.created_at)],
      [words.finished, moment(erasure.finished_at)],
      [words.requestedBy, id(erasure.requested_by)],
      [administration.facts.id, id(erasure.erasure_id)],
    ]}
  />
);

const operationLink = (operationId: string | null): ReactNode =>
  operationId === null ? null : (
    <Link to="/activity/$operationId" params={{ operationId }}>
      <Id id={operationId} />
    </Link>
  );
