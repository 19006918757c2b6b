// SPDX-License-Identifier: Apache-2.0
import type { Token } from '@writ/client/web';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useAgentNames } from '../../data/agents.ts';
import { useSimulation, type Candidate } from '../../data/policies.ts';
import { useTokensOf, useToolIds, useWorkspaceChoices } from '../../data/simulation-choices.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { errorText } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import own from './policy.module.css';
import { SimulatedDecision } from './simulated-decision.tsx';

const words = en.policy.simulate;
type Mode = keyof typeof words.modes;

/** What the fields say. Empty texts are choices that were not made. */
interface Fields {
  readonly agent: string;
  readonly token: string;
  readonly workspace: string;
  readonly tool: string;
  readonly args: string;
  readonly mode: Mode;
}
const NONE: Fields = { agent: '', token: '', workspace: '', tool: '', args: '{}', mode: 'interactive' };

/** Asks what a set would decide about one call. */
export function Simulate({ candidate }: { readonly candidate: Candidate | null }): ReactNode {
  const [fields, setFields] = useState(NONE);
  const [isWrong, setWrong] = useState(false);
  const simulation = useSimulation();
  const isComplete = candidate !== null && [fields.agent, fields.token, fields.workspace, fields.tool].every(Boolean);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const args = objectIn(fields.args);
    setWrong(args === null);
    if (args === null || candidate === null || !isComplete) return;
    const { agent: agent_id, token: capability_token_id, workspace: workspace_id, tool: tool_id, mode } = fields;
    const call = { agent_id, capability_token_id, workspace_id, tool_id, args, session_mode: mode };
    simulation.mutate({ candidate, call });
  };
  return (
    <section>
      <h2>{words.title}</h2>
      <form className={own['verdict']} onSubmit={send}>
        <p className={controls['hint']}>{words.text}</p>
        <CallFields fields={fields} change={(part) => setFields((before) => ({ ...before, ...part }))} />
        {isWrong ? <p role="alert">{words.badArgs}</p> : null}
        <div>
          <button type="submit" className={controls['button']} disabled={!isComplete || simulation.isPending}>
            {words.run}
          </button>
        </div>
        <div aria-live="polite">
          {simulation.data === undefined ? null : <SimulatedDecision simulation={simulation.data} />}
        </div>
        {simulation.isError ? (
          <p className={`${controls['note']} ${controls['bad']}`} role="alert">
            <Shown text={errorText(simulation.error)} />
          </p>
        ) : null}
      </form>
    </section>
  );
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

interface FieldsGiven {
  readonly fields: Fields;
  readonly change: (part: Partial<Fields>) => void;
}

function CallFields({ fields, change }: FieldsGiven): ReactNode {
  const agents = [...useAgentNames()];
  const tokens = useTokensOf(fields.agent === '' ? null : fields.agent);
  const workspaces = useWorkspaceChoices().data ?? [];
  const tools = useToolIds().data ?? [];
  const chooseToken = (token: string): void => {
    const workspace = tokens.data?.find((one) => one.capability_token_id === token)?.workspace_id ?? null;
    change({ token, ...(workspace === null ? {} : { workspace }) });
  };
  return (
    <>
      <div className={styles['fields']}>
        <Choice
          label={words.agent}
          value={fields.agent}
          choices={agents}
          change={(agent) => change({ agent, token: '' })}
        />
        <Choice
          label={words.token}
          value={fields.token}
          choices={(tokens.data ?? []).map(choiceOf)}
          change={chooseToken}
        />
        <Choice
          label={words.workspace}
          value={fields.workspace}
          choices={workspaces.map(({ workspace_id, name }) => [workspace_id, name])}
          change={(workspace) => change({ workspace })}
        />
        <Choice
          label={words.tool}
          value={fields.tool}
          choices={tools.map((tool) => [tool, tool])}
          change={(tool) => change({ tool })}
        />
        <Choice
          label={words.mode}
          value={fields.mode}
          choices={Object.entries(words.modes)}
          change={(mode) => change({ mode: mode === '' ? NONE.mode : (mode as Mode) })}
        />
      </div>
      {tokens.data?.length === 0 ? <p className={controls['hint']}>{words.noTokens}</p> : null}
      <ArgsField args={fields.args} change={(args) => change({ args })} />
    </>
  );
}

const choiceOf = ({ capability_token_id: id, grant }: Token): readonly [string, string] => [
  id,
  `…${id.slice(-6)}: ${grant.tools.join(', ')}`,
];

interface ChoiceGiven {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly change: (value: string) => void;
}

const Choice = ({ label, value, choices, change }: ChoiceGiven): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{label}</span>
    <select className={controls['select']} value={value} onChange={({ target }) => change(target.value)}>
      <option value="">{words.choose}</option>
      {choices.map(([id, name]) => (
        <option key={id} value={id}>
          {visibleText(name)}
        </option>
      ))}
    </select>
  </label>
);

const ArgsField = ({ args, change }: { readonly args: string; readonly change: (args: string) => void }): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{words.args}</span>
    <textarea
      className={`${controls['area']} ${styles['code']}`}
      spellCheck={false}
      value={args}
      onChange={({ target }) => change(target.value)}
    />
  </label>
);
