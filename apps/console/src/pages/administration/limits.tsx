// SPDX-License-Identifier: Apache-2.0
import type { Budget, CallSettings, Retention } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useBudgets, useCallSettings, useRetention } from '../../data/limits.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Moment, Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import styles from './administration.module.css';
import { Action, Facts, MayNotNote, Part } from './bits.tsx';
import { costText } from './cost-text.ts';
import { CallsDialog, RetentionDialog } from './limit-dialogs.tsx';

const words = administration.limits;

/** What holds for all calls of the tenant. */
export const Limits = (): ReactNode => (
  <Part title={administration.tabs.limits} text={words.text} end={<MayNotNote />}>
    <div className={styles['body']}>
      <Calls />
      <Kept />
      <Budgets />
    </div>
  </Part>
);

const changed = (at: number | null): ReactNode => (at === null ? words.never : <Moment at={at} />);

function Calls(): ReactNode {
  const { data, error, isPending, refetch } = useCallSettings();
  if (isPending) return <Skeleton lines={5} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return (
    <section className={styles['block']}>
      <div className={styles['blockHead']}>
        <h3>{words.calls}</h3>
        <Action label={words.edit} dialog={(close) => <CallsDialog settings={data} close={close} />} />
      </div>
      <CallFacts settings={data} />
    </section>
  );
}

const Paths = ({ of }: { readonly of: readonly string[] }): ReactNode =>
  of.length === 0 ? words.nothing : <Shown text={of.join('  ')} isCode />;

const CallFacts = ({ settings }: { readonly settings: CallSettings }): ReactNode => (
  <Facts
    of={[
      [words.allowed, <Paths key="allowed" of={settings.allowed_paths} />],
      [words.denied, <Paths key="denied" of={settings.denied_paths} />],
      [words.output, settings.output_bytes.toLocaleString('en')],
      [words.command, settings.command_ms === null ? words.byDefault : words.seconds(settings.command_ms)],
      [
        words.tools,
        Object.keys(settings.tool_command_ms).length === 0 ? null : (
          <Shown
            key="tools"
            isCode
            text={Object.entries(settings.tool_command_ms)
              .map(([tool, ms]) => `${tool}: ${words.seconds(ms)}`)
              .join(', ')}
          />
        ),
      ],
      [administration.facts.changed, changed(settings.changed_at)],
    ]}
  />
);

function Kept(): ReactNode {
  const { data, error, isPending, refetch } = useRetention();
  if (isPending) return <Skeleton lines={3} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return (
    <section className={styles['block']}>
      <div className={styles['blockHead']}>
        <h3>{words.retention}</h3>
        <Action
          label={words.edit}
          tone="danger"
          dialog={(close) => <RetentionDialog retention={data} close={close} />}
        />
      </div>
      <KeptFacts retention={data} />
    </section>
  );
}

const KeptFacts = ({ retention }: { readonly retention: Retention }): ReactNode => (
  <Facts
    of={[
      [words.payload, words.days(retention.payload_days)],
      [words.outputs, words.days(retention.output_days)],
      [administration.facts.changed, changed(retention.changed_at)],
    ]}
  />
);

function Budgets(): ReactNode {
  const list = useBudgets();
  return (
    <section className={styles['block']}>
      <h3>{words.budgets}</h3>
      {list.isPending ? (
        <Skeleton lines={2} />
      ) : list.error !== null && list.rows.length === 0 ? (
        <Failed error={list.error} retry={list.retry} />
      ) : list.rows.length === 0 ? (
        <p className={controls['hint']}>{words.noBudgets}</p>
      ) : (
        <BudgetTable rows={list.rows} />
      )}
      {list.readMore === null ? null : (
        <button type="button" className={controls['button']} onClick={list.readMore}>
          {administration.more}
        </button>
      )}
    </section>
  );
}

const BudgetTable = ({ rows }: { readonly rows: readonly Budget[] }): ReactNode => (
  <table className={styles['table']}>
    <thead>
      <tr>
        {(['subject', 'measure', 'used', 'limit', 'resets'] as const).map((column) => (
          <th key={column} scope="col" {...(column === 'used' || column === 'limit' ? { 'data-number': true } : {})}>
            {words.budgetColumns[column]}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((budget) => (
        <tr key={budget.budget_id}>
          <td>
            <Subject subject={budget.subject} />
          </td>
          <td>
            {words.measures[budget.measure]} {words.periods[budget.period]}
          </td>
          <td data-number>
            <Shown text={amountOf(budget, budget.used)} />
          </td>
          <td data-number>
            <Shown text={amountOf(budget, budget.limit)} />
          </td>
          <td>
            <Span at={budget.resets_at} isFuture />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const amountOf = ({ measure, currency }: Budget, amount: number): string =>
  measure === 'cost' ? costText(amount, currency) : amount.toLocaleString('en');

const Subject = ({ subject: { kind, id } }: Pick<Budget, 'subject'>): ReactNode => (
  <>
    {words.subjects[kind]}{' '}
    {id === null || kind === 'tenant' ? null : kind === 'agent' ? <Agent id={id} /> : <Shown text={id} />}
  </>
);
