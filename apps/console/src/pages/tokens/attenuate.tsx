// SPDX-License-Identifier: Apache-2.0
import type { Token } from '@writ/client/web';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useAgentNames } from '../../data/agents.ts';
import { useSession } from '../../data/session.ts';
import { useTokenChanges } from '../../data/tokens.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Shown } from '../../parts/shown.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import { BUDGETS, fieldsOf, grantOf, type GrantFields } from './grant-fields.ts';
import own from './tokens.module.css';

const words = en.tokens.attenuate;

interface AttenuateGiven {
  readonly token: Token;
  readonly isUsable: boolean;
}

/** Makes a token that grants less. */
export function Attenuate({ token, isUsable }: AttenuateGiven): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { me } = useSession();
  const mayNot = me.role !== null && me.role !== 'admin';
  return (
    <>
      <button
        type="button"
        className={controls['button']}
        disabled={mayNot || !isUsable}
        title={mayNot && me.role !== null ? words.onlyAdmin(en.roles[me.role]) : undefined}
        onClick={() => setOpen(true)}
      >
        {words.open}
      </button>
      {isOpen ? <NarrowDialog token={token} close={() => setOpen(false)} /> : null}
    </>
  );
}

function NarrowDialog({ token, close }: { readonly token: Token; readonly close: () => void }): ReactNode {
  const { attenuate } = useTokenChanges(token.capability_token_id);
  const navigate = useNavigate();
  const [fields, setFields] = useState(() => fieldsOf(token.grant));
  const [agentId, setAgentId] = useState(token.agent_id);
  const change = (part: Partial<GrantFields>): void => setFields((before) => ({ ...before, ...part }));
  const run = async (): Promise<void> => {
    const child = await attenuate({ agent_id: agentId, grant: grantOf(fields, token.grant) });
    await navigate({ to: '/tokens/$tokenId', params: { tokenId: child.capability_token_id } });
  };
  return (
    <ConfirmDialog title={words.title} action={words.action} run={run} close={close}>
      <p>{words.says}</p>
      <AgentField agentId={agentId} change={setAgentId} />
      <LinesField name="tools" hint={words.toolsHint} {...{ fields, change }} />
      <LinesField name="files" hint={words.filesHint} {...{ fields, change }} />
      <LinesField name="hosts" hint={words.hostsHint} {...{ fields, change }} />
      <LinesField name="secrets" hint={words.linesHint} {...{ fields, change }} />
      {token.grant.resources === undefined ? null : (
        <LinesField name="resources" hint={words.linesHint} {...{ fields, change }} />
      )}
      {token.grant.profiles === undefined ? null : (
        <LinesField name="profiles" hint={words.linesHint} {...{ fields, change }} />
      )}
      <BudgetFields {...{ fields, change }} />
      <label className={controls['field']}>
        <span className={controls['label']}>{words.until}</span>
        <input
          className={controls['input']}
          type="datetime-local"
          value={fields.until}
          onChange={({ target }) => change({ until: target.value })}
        />
      </label>
      {token.grant.effects === undefined ? null : <p className={controls['hint']}>{words.kept}</p>}
    </ConfirmDialog>
  );
}

interface AgentGiven {
  readonly agentId: string;
  readonly change: (agentId: string) => void;
}

function AgentField({ agentId, change }: AgentGiven): ReactNode {
  const names = useAgentNames();
  const choices = names.has(agentId) ? [...names] : [[agentId, agentId] as const, ...names];
  return (
    <label className={controls['field']}>
      <span className={controls['label']}>{words.agent}</span>
      <select className={controls['select']} value={agentId} onChange={({ target }) => change(target.value)}>
        {choices.map(([id, name]) => (
          <option key={id} value={id}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FieldsGiven {
  readonly fields: GrantFields;
  readonly change: (part: Partial<GrantFields>) => void;
}

interface LinesGiven extends FieldsGiven {
  readonly name: 'tools' | 'files' | 'hosts' | 'secrets' | 'resources' | 'profiles';
  readonly hint: string;
}

/** A field shows no character that is not seen: where it has one, its text stands below with the codes. */
const LinesField = ({ name, hint, fields, change }: LinesGiven): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{en.tokens[name]}</span>
    <textarea
      className={`${controls['area']} ${styles['code']} ${own['short']}`}
      spellCheck={false}
      rows={2}
      value={fields[name]}
      onChange={({ target }) => change({ [name]: target.value })}
    />
    {visibleText(fields[name]) === fields[name] ? null : <Shown text={fields[name]} isCode />}
    <span className={controls['hint']}>{hint}</span>
  </label>
);

const BudgetFields = ({ fields, change }: FieldsGiven): ReactNode => (
  <fieldset className={own['budgets']}>
    <legend className={controls['label']}>{en.tokens.budgetTitle}</legend>
    <div className={styles['fields']}>
      {BUDGETS.map((name) => (
        <label key={name} className={controls['field']}>
          <span>{en.tokens.budgets[name]}</span>
          <input
            className={controls['input']}
            inputMode="numeric"
            value={fields.budgets[name]}
            onChange={({ target }) => change({ budgets: { ...fields.budgets, [name]: target.value } })}
          />
        </label>
      ))}
    </div>
    <span className={controls['hint']}>{words.budgetHint}</span>
  </fieldset>
);
