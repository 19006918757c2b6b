// SPDX-License-Identifier: Apache-2.0
import type { Agent } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useAgents, useCreateAgent } from '../../data/agents-admin.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { Action, Doing, Facts, id, MayNotNote, moment, Part, TextField } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';
import { StopDialog } from './stop-dialog.tsx';

const words = administration.agents;

/** The agents of the tenant. */
export function Agents(): ReactNode {
  const list = useAgents();
  return (
    <Part
      title={administration.tabs.agents}
      text={words.text}
      end={
        <>
          <Action label={words.create} tone="main" dialog={(close) => <NewAgentDialog close={close} />} />
          <MayNotNote />
        </>
      }
    >
      <ChosenList
        label={administration.tabs.agents}
        list={list}
        keyOf={keyOf}
        nameOf={({ name }) => <Shown text={name} />}
        columns={COLUMNS}
        details={(agent) => <Details agent={agent} />}
        none={words.none}
      />
    </Part>
  );
}

const keyOf = ({ agent_id }: Agent): string => agent_id;

const COLUMNS: readonly Column<Agent>[] = [
  { label: words.columns.name, width: 'minmax(8rem, 2fr)', cell: ({ name }) => <Shown text={name} /> },
  { label: words.columns.id, width: '16rem', isMinor: true, cell: ({ agent_id }) => <Id id={agent_id} /> },
  { label: words.columns.created, width: '6rem', cell: ({ created_at }) => <Span at={created_at} /> },
];

const Details = ({ agent }: { readonly agent: Agent }): ReactNode => (
  <>
    <Facts
      of={[
        [administration.facts.created, moment(agent.created_at)],
        [administration.facts.id, id(agent.agent_id)],
      ]}
    />
    <Doing>
      <Link to="/activity" search={{ agent_id: agent.agent_id }} className={controls['button']}>
        {words.calls}
      </Link>
      <Action
        label={words.stop}
        roles={['admin', 'operator']}
        tone="danger"
        dialog={(close) => <StopDialog agentId={agent.agent_id} close={close} />}
      />
    </Doing>
  </>
);

function NewAgentDialog({ close }: { readonly close: () => void }): ReactNode {
  const create = useCreateAgent();
  const [name, setName] = useState('');
  return (
    <ConfirmDialog
      title={words.createTitle}
      action={words.create}
      mayRun={name.trim() !== ''}
      run={() => create(name.trim())}
      close={close}
    >
      <p>{words.createText}</p>
      <TextField
        label={words.name}
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
