// SPDX-License-Identifier: Apache-2.0
import { useState, type ReactNode } from 'react';
import { useAgentNames } from '../../data/agents.ts';
import { usePlaceFreeze } from '../../data/freezes.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { administration } from '../../words/administration.ts';
import { ChoiceField, TextField } from './bits.tsx';
import { stopRequestOf, type Stop } from './stop-request.ts';

const words = administration.stop;

const REASON_CHARS_MAX = 500;

const options = <Key extends string>(of: Readonly<Record<Key, string>>): readonly (readonly [Key, string])[] =>
  Object.entries(of) as [Key, string][];

/** The emergency stop: the second of two clicks, and the reason. */
export function StopDialog({ agentId, close }: { readonly agentId?: string; readonly close: () => void }): ReactNode {
  const place = usePlaceFreeze();
  const [stop, setStop] = useState<Stop>({
    scope: agentId === undefined ? 'tenant' : 'agent',
    id: agentId ?? '',
    reason: '',
    until: 'lifted',
  });
  const change = (part: Partial<Stop>): void => setStop((before) => ({ ...before, ...part }));
  return (
    <ConfirmDialog
      title={words.title}
      action={words.action[stop.scope]}
      isDangerous
      mayRun={stopRequestOf(stop, 0) !== null}
      run={async () => {
        const request = stopRequestOf(stop, Date.now());
        if (request !== null) await place(request);
      }}
      close={close}
    >
      <p>{words.text}</p>
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        isFirst
        isRequired
        max={REASON_CHARS_MAX}
        value={stop.reason}
        change={(reason) => change({ reason })}
      />
      <ChoiceField
        label={words.scope}
        value={stop.scope}
        options={options(words.scopes)}
        change={(scope) => change({ scope, id: '' })}
      />
      <Subject stop={stop} change={(id) => change({ id })} />
      <ChoiceField
        label={words.until}
        value={stop.until}
        options={options(words.untils)}
        change={(until) => change({ until })}
      />
    </ConfirmDialog>
  );
}

function Subject({ stop, change }: { readonly stop: Stop; readonly change: (id: string) => void }): ReactNode {
  const names = useAgentNames();
  if (stop.scope === 'tenant') return null;
  if (stop.scope === 'tool')
    return <TextField label={words.tool} hint={words.toolHint} isRequired value={stop.id} change={change} />;
  const agents = [...names].map(([id, name]) => [id, `${visibleText(name)} (${id})`] as const);
  return (
    <ChoiceField
      label={words.agent}
      value={stop.id}
      options={[['', administration.keys.chooseAgent], ...agents]}
      change={change}
    />
  );
}
