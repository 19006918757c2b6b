// SPDX-License-Identifier: Apache-2.0
// INVARIANT (shown once): a new key goes to the part that shows it, and nowhere else.
import type { ApiKey, KeyRole } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useAgentNames } from '../../data/agents.ts';
import { useApiKeyChanges } from '../../data/api-keys.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Shown } from '../../parts/shown.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { administration } from '../../words/administration.ts';
import { en } from '../../words/en.ts';
import { keyRequestOf, LIFETIMES_MS, type KeyDraft } from './api-key-state.ts';
import { ChoiceField, TextField } from './bits.tsx';

const words = administration.keys;

type Lifetime = keyof typeof LIFETIMES_MS;
const LIFETIMES = Object.entries(words.lifetimes) as [Lifetime, string][];
const ROLES = Object.entries(en.roles) as [KeyRole, string][];
const EMPTY: KeyDraft = {
  name: '',
  role: 'agent',
  agentId: '',
  person: '',
  tools: '',
  scopes: '',
  lifetime: 'quarter',
};

interface NewGiven {
  readonly show: (key: string) => void;
  readonly close: () => void;
}

export function NewKeyDialog({ show, close }: NewGiven): ReactNode {
  const { create } = useApiKeyChanges();
  const [draft, setDraft] = useState(EMPTY);
  const change = (part: Partial<KeyDraft>): void => setDraft((before) => ({ ...before, ...part }));
  return (
    <ConfirmDialog
      title={words.createTitle}
      action={words.create}
      mayRun={keyRequestOf(draft, 0) !== null}
      run={async () => {
        const request = keyRequestOf(draft, Date.now());
        if (request !== null) show((await create(request)).api_key);
      }}
      close={close}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        isFirst
        isRequired
        max={64}
        value={draft.name}
        change={(name) => change({ name })}
      />
      <ChoiceField label={words.role} value={draft.role} options={ROLES} change={(role) => change({ role })} />
      <OfRole draft={draft} change={change} />
      <TextField
        label={words.person}
        hint={words.personHint}
        value={draft.person}
        change={(person) => change({ person })}
      />
      <TextField
        label={words.scopes}
        hint={words.list}
        max={2_000}
        value={draft.scopes}
        change={(scopes) => change({ scopes })}
      />
      <ChoiceField
        label={words.lifetime}
        value={draft.lifetime}
        options={LIFETIMES}
        change={(lifetime) => change({ lifetime })}
      />
    </ConfirmDialog>
  );
}

interface OfRoleGiven {
  readonly draft: KeyDraft;
  readonly change: (part: Partial<KeyDraft>) => void;
}

/** What a key of this role needs besides. */
function OfRole({ draft, change }: OfRoleGiven): ReactNode {
  const agents = [...useAgentNames()].map(([id, name]) => [id, `${visibleText(name)} (${id})`] as const);
  if (draft.role === 'agent')
    return (
      <ChoiceField
        label={words.agent}
        value={draft.agentId}
        options={[['', words.chooseAgent], ...agents]}
        change={(agentId) => change({ agentId })}
      />
    );
  if (draft.role !== 'worker') return null;
  return (
    <TextField
      label={words.tools}
      hint={words.toolsHint}
      isRequired
      max={2_000}
      value={draft.tools}
      change={(tools) => change({ tools })}
    />
  );
}

const OVERLAPS_MS = { none: 0, hour: 3_600_000, day: 86_400_000 } as const;
type Overlap = keyof typeof OVERLAPS_MS;
const OVERLAPS = Object.entries(words.overlaps) as [Overlap, string][];

export function RotateDialog({ apiKey, show, close }: NewGiven & { readonly apiKey: ApiKey }): ReactNode {
  const { rotate } = useApiKeyChanges();
  const [overlap, setOverlap] = useState<Overlap>('hour');
  return (
    <ConfirmDialog
      title={words.rotateTitle}
      action={words.rotate}
      run={async () => show((await rotate(apiKey.api_key_id, { overlap_ms: OVERLAPS_MS[overlap] })).api_key)}
      close={close}
    >
      <p>
        <Shown text={apiKey.name} />
      </p>
      <p>{words.rotateText}</p>
      <ChoiceField label={words.overlap} value={overlap} options={OVERLAPS} change={setOverlap} />
    </ConfirmDialog>
  );
}
