// SPDX-License-Identifier: Apache-2.0
import type { PolicySetWhole } from '@writ/client/web';
import { Link, useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { usePolicy, usePolicyChanges, type PolicyDocument } from '../../data/policies.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { Backtest } from './backtest.tsx';
import { Checks, useProblems } from './checks.tsx';
import { documentOf, draftOf } from './document.ts';
import own from './policy.module.css';
import { AdminNote, useMayAdminister } from './rights.tsx';
import { RulesField, type RulesFieldHandle } from './rules-field.tsx';
import { Simulate } from './simulate.tsx';

const words = en.policy.editor;

/** The page on which a set is written, checked as it is typed, simulated, backtested and stored. */
export function WritePolicy(): ReactNode {
  const { from = 'active' } = useSearch({ from: '/policy/edit' });
  const { data, error, isPending, refetch } = usePolicy(from);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Editor key={from} set={data} />;
}

function Editor({ set }: { readonly set: PolicySetWhole }): ReactNode {
  // A set that comes into force meanwhile doesn't replace what is being written.
  const [begun] = useState(set);
  const initial = useMemo(() => draftOf(begun.document), [begun]);
  const [draft, setDraft] = useState(initial);
  const field = useRef<RulesFieldHandle>(null);
  const drafted = useMemo(() => documentOf(draft), [draft]);
  const checked = useProblems(drafted);
  const isStored = useRef(false);
  const isChanged = draft.rules !== initial.rules || draft.settings !== initial.settings;
  useLeaveQuestion(() => isChanged && !isStored.current);
  const candidate = useMemo(
    () => (drafted.document === null ? null : { document: drafted.document }),
    [drafted.document],
  );
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/policy" search={{}} className={controls['hint']}>
          {en.policy.back}
        </Link>
        <h1 id="page-title">{words.title}</h1>
        <span className={controls['hint']}>
          <Shown text={words.from(en.policy.version(begun.name, begun.version))} />
        </span>
        <div className={styles['actions']}>
          <Store document={checked.isValid ? drafted.document : null} stored={() => (isStored.current = true)} />
        </div>
      </header>
      <div className={own['write']}>
        <div className={own['column']}>
          <AdminNote />
          <RulesPart {...{ field, initial: initial.rules, problems: checked.problems }}>
            {(rules) => setDraft((before) => ({ ...before, rules }))}
          </RulesPart>
          <SettingsField
            settings={draft.settings}
            change={(settings) => setDraft((before) => ({ ...before, settings }))}
          />
        </div>
        <div className={own['column']}>
          <Checks checked={checked} goTo={(line) => field.current?.goTo(line)} />
          {candidate === null ? null : <Backtest candidate={candidate} />}
          <Simulate candidate={candidate} />
        </div>
      </div>
    </section>
  );
}

/** Asks before what was typed is lost. */
function useLeaveQuestion(isUnsaved: () => boolean): void {
  const latest = useRef(isUnsaved);
  useEffect(() => {
    latest.current = isUnsaved;
  });
  useBlocker({
    shouldBlockFn: () => latest.current() && !window.confirm(words.leave),
    enableBeforeUnload: () => latest.current(),
  });
}

interface RulesGiven {
  readonly field: React.RefObject<RulesFieldHandle | null>;
  readonly initial: string;
  readonly problems: ReturnType<typeof useProblems>['problems'];
  readonly children: (rules: string) => void;
}

const RulesPart = ({ field, initial, problems, children: change }: RulesGiven): ReactNode => (
  <div>
    <h2>{words.rules}</h2>
    <RulesField ref={field} initial={initial} change={change} problems={problems} />
  </div>
);

interface SettingsGiven {
  readonly settings: string;
  readonly change: (settings: string) => void;
}

const SettingsField = ({ settings, change }: SettingsGiven): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{words.settings}</span>
    <textarea
      className={`${controls['area']} ${own['settings']}`}
      spellCheck={false}
      value={settings}
      onChange={({ target }) => change(target.value)}
    />
    <span className={controls['hint']}>{words.settingsHint}</span>
  </label>
);

interface StoreGiven {
  /** null: it can't be stored as it is */
  readonly document: PolicyDocument | null;
  readonly stored: () => void;
}

function Store({ document, stored }: StoreGiven): ReactNode {
  const [chosen, setChosen] = useState<PolicyDocument | null>(null);
  const { store } = usePolicyChanges();
  const navigate = useNavigate();
  const isAllowed = useMayAdminister();
  const run = async (): Promise<void> => {
    if (chosen === null) return;
    const { policy } = await store(chosen);
    stored();
    if (policy !== null) await navigate({ to: '/policy/$policy', params: { policy: policy.policy_hash } });
  };
  return (
    <>
      <button
        type="button"
        className={`${controls['button']} ${controls['main']}`}
        disabled={document === null || !isAllowed}
        onClick={() => setChosen(document)}
      >
        {words.store}
      </button>
      {chosen === null ? null : (
        <ConfirmDialog title={words.storeTitle} action={words.storeAction} run={run} close={() => setChosen(null)}>
          <p>
            <Shown text={String(chosen['name'])} isCode />
          </p>
          <p>{words.storeText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
