// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useModels, useSessionChanges } from '../../data/sessions.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Id } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { Choice } from './choice.tsx';
import { NameField } from './new-session-dialog.tsx';

interface ForkGiven {
  readonly runId: string;
  /** the last event that the fork begins with */
  readonly after: number;
  readonly close: () => void;
}

/** Asks about a fork, makes it, and opens it. */
export function ForkDialog({ runId, after, close }: ForkGiven): ReactNode {
  const { fork } = useSessionChanges();
  const models = useModels();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const run = async (): Promise<void> => {
    const sessionId = await fork(runId, {
      after,
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(model === '' ? {} : { model }),
    });
    await navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: {} });
  };
  return (
    <ConfirmDialog title={en.sessions.forkTitle} action={en.sessions.forkAction} run={run} close={close}>
      <p>{en.sessions.forkText}</p>
      <p className={controls['hint']}>
        {en.sessions.forkHereOf(after)} · <Id id={runId} />
      </p>
      <Choice
        label={en.sessions.model}
        value={model}
        none={en.sessions.sameModel}
        options={(models.data ?? []).map((one) => [one.name, one.name])}
        change={setModel}
      />
      <NameField name={name} change={setName} />
    </ConfirmDialog>
  );
}
