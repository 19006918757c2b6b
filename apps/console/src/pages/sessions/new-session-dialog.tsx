// SPDX-License-Identifier: Apache-2.0
import type { CreateSessionRequestSessionMode, Model, Token, Workspace } from '@writ/client/web';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type ReactNode } from 'react';
import { useAgentNames } from '../../data/agents.ts';
import { useSessionChanges, useSessionChoices } from '../../data/sessions.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { en } from '../../words/en.ts';
import { Choice } from './choice.tsx';

interface Typed {
  readonly token: string;
  readonly workspace: string;
  readonly model: string;
  readonly name: string;
  readonly mode: CreateSessionRequestSessionMode;
}

/** Asks what a session needs, starts it, and opens it. */
export function NewSessionDialog({ close }: { readonly close: () => void }): ReactNode {
  const choices = useSessionChoices();
  const { create } = useSessionChanges();
  const navigate = useNavigate();
  const [given, setTyped] = useState<Typed>({ token: '', workspace: '', model: '', name: '', mode: 'interactive' });
  const { tokens = [], workspaces = [], models = [] } = choices.data ?? {};
  const typed: Typed = {
    ...given,
    token: chosen(given.token, tokens, ({ capability_token_id }) => capability_token_id),
    model: chosen(given.model, models, ({ name }) => name),
    workspace: chosen(given.workspace, workspaces, ({ workspace_id }) => workspace_id),
  };
  const token = tokens.find(({ capability_token_id }) => capability_token_id === typed.token);
  const workspace = token?.workspace_id ?? typed.workspace;
  const run = async (): Promise<void> => {
    const sessionId = await create({
      workspace_id: workspace,
      capability_token_id: typed.token,
      model: typed.model,
      session_mode: typed.mode,
      ...(token === undefined ? {} : { agent_id: token.agent_id }),
      ...(typed.name.trim() === '' ? {} : { name: typed.name.trim() }),
    });
    await navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: {} });
  };
  return (
    <ConfirmDialog
      title={en.sessions.newTitle}
      action={en.sessions.newAction}
      mayRun={token !== undefined && workspace !== '' && typed.model !== ''}
      run={run}
      close={close}
    >
      <p className={controls['hint']}>{en.sessions.newText}</p>
      {choices.data === undefined ? (
        choices.isError ? (
          <Failed error={choices.error} retry={() => void choices.refetch()} />
        ) : (
          <Skeleton lines={4} />
        )
      ) : (
        <Fields {...choices.data} typed={typed} workspaceId={workspace} change={setTyped} />
      )}
    </ConfirmDialog>
  );
}

/** What was chosen, or the only one that there is. */
const chosen = <One,>(given: string, all: readonly One[], idOf: (one: One) => string): string =>
  given === '' && all.length === 1 ? all.map(idOf).join('') : given;

interface FieldsGiven {
  readonly tokens: readonly Token[];
  readonly workspaces: readonly Workspace[];
  readonly models: readonly Model[];
  readonly typed: Typed;
  /** the chosen one, or the only one of the token */
  readonly workspaceId: string;
  readonly change: (typed: Typed) => void;
}

function Fields({ tokens, workspaces, models, typed, workspaceId, change }: FieldsGiven): ReactNode {
  const names = useAgentNames();
  const bound = tokens.find(({ capability_token_id }) => capability_token_id === typed.token)?.workspace_id ?? null;
  const labelOf = ({ agent_id, capability_token_id, grant }: Token): string =>
    `${names.get(agent_id) ?? agent_id}: ${grant.tools.join(', ')} (…${capability_token_id.slice(-6)})`;
  if (tokens.length === 0 || workspaces.length === 0 || models.length === 0) return <p>{en.sessions.newNothing}</p>;
  return (
    <>
      <Choice
        label={en.sessions.token}
        value={typed.token}
        options={tokens.map((one) => [one.capability_token_id, labelOf(one)])}
        change={(token) => change({ ...typed, token })}
      />
      <Choice
        label={en.sessions.workspace}
        value={workspaceId}
        options={workspaces
          .filter(({ workspace_id }) => bound === null || workspace_id === bound)
          .map(({ workspace_id, name }) => [workspace_id, name])}
        change={(workspace) => change({ ...typed, workspace })}
      />
      <Choice
        label={en.sessions.model}
        value={typed.model}
        options={models.map(({ name }) => [name, name])}
        change={(model) => change({ ...typed, model })}
      />
      <Choice
        label={en.sessions.mode}
        value={typed.mode}
        none={null}
        options={Object.entries(en.sessions.modes)}
        change={(mode) => change({ ...typed, mode: mode as CreateSessionRequestSessionMode })}
      />
      <NameField name={typed.name} change={(name) => change({ ...typed, name })} />
    </>
  );
}

const NAME_CHARS_MAX = 64;

interface NameGiven {
  readonly name: string;
  readonly change: (name: string) => void;
}

export function NameField({ name, change }: NameGiven): ReactNode {
  const hint = useId();
  return (
    <div className={controls['field']}>
      <label className={controls['field']}>
        <span className={controls['label']}>{en.sessions.name}</span>
        <input
          className={controls['input']}
          aria-describedby={hint}
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => change(target.value)}
        />
      </label>
      <span id={hint} className={controls['hint']}>
        {en.sessions.nameHint}
      </span>
    </div>
  );
}
