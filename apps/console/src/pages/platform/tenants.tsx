// SPDX-License-Identifier: Apache-2.0
import type { Tenant } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useTenantChanges, useTenants } from '../../data/platform.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { platform } from '../../words/platform.ts';
import { Doing, Facts, id, moment, Part, shown, TextField } from '../administration/bits.tsx';
import { ChosenList, type Column } from '../administration/chosen-list.tsx';
import { PlatformAction } from './platform-action.tsx';

const words = platform.tenants;

/** The tenants of the deployment. */
export function Tenants(): ReactNode {
  const list = useTenants();
  const [key, setKey] = useState<string | null>(null);
  return (
    <Part
      title={platform.tabs.tenants}
      text={words.text}
      end={
        <PlatformAction
          label={words.create}
          tone="main"
          dialog={(close) => <NewTenantDialog show={setKey} close={close} />}
        />
      }
    >
      <ChosenList
        label={platform.tabs.tenants}
        list={list}
        keyOf={keyOf}
        nameOf={({ name }) => <Shown text={name} />}
        columns={COLUMNS}
        details={(tenant) => <Details tenant={tenant} />}
        none={words.none}
      />
      {key === null ? null : (
        <ShownOnce title={words.onceTitle} text={words.onceText} value={key} close={() => setKey(null)} />
      )}
    </Part>
  );
}

const keyOf = ({ tenant_id }: Tenant): string => tenant_id;

const State = ({ state }: Pick<Tenant, 'state'>): ReactNode => (
  <Badge tone={state === 'open' ? 'good' : null}>{words.states[state]}</Badge>
);

const COLUMNS: readonly Column<Tenant>[] = [
  { label: words.columns.name, width: 'minmax(8rem, 1fr)', cell: ({ name }) => <Shown text={name} /> },
  { label: administration.facts.id, width: '16rem', isMinor: true, cell: ({ tenant_id }) => <Id id={tenant_id} /> },
  { label: words.columns.state, width: '5rem', cell: ({ state }) => <State state={state} /> },
  { label: words.columns.created, width: '5.5rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

const Details = ({ tenant }: { readonly tenant: Tenant }): ReactNode => (
  <>
    <Facts
      of={[
        [words.columns.state, <State key="state" state={tenant.state} />],
        [words.columns.created, moment(tenant.created_at)],
        [words.closed, moment(tenant.closed_at)],
        [words.closedBy, id(tenant.closed_by)],
        [words.reason, shown(tenant.close_reason)],
        [administration.facts.id, id(tenant.tenant_id)],
      ]}
    />
    {tenant.state === 'open' ? (
      <Doing>
        <PlatformAction
          label={words.close}
          tone="danger"
          dialog={(close) => <CloseDialog tenant={tenant} close={close} />}
        />
      </Doing>
    ) : null}
  </>
);

interface NewGiven {
  readonly show: (key: string) => void;
  readonly close: () => void;
}

function NewTenantDialog({ show, close }: NewGiven): ReactNode {
  const { create } = useTenantChanges();
  const [name, setName] = useState('');
  return (
    <ConfirmDialog
      title={words.createTitle}
      action={words.create}
      mayRun={name.trim() !== ''}
      run={async () => show((await create(name.trim())).api_key)}
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

function CloseDialog({ tenant, close }: { readonly tenant: Tenant; readonly close: () => void }): ReactNode {
  const changes = useTenantChanges();
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={words.closeTitle}
      action={words.close}
      isDangerous
      mayRun={reason.trim() !== ''}
      run={() => changes.close(tenant.tenant_id, reason.trim())}
      close={close}
    >
      <p>
        <Shown text={tenant.name} /> <Id id={tenant.tenant_id} isShort />
      </p>
      <p>{words.closeText}</p>
      <TextField label={words.reason} isFirst isRequired max={500} value={reason} change={setReason} />
    </ConfirmDialog>
  );
}
