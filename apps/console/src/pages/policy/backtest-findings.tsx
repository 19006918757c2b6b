// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { strictnessOf, type BacktestSum, type ChangeCount } from './backtest-sum.ts';
import own from './policy.module.css';

/** Examples that are listed. */
const EXAMPLES_SHOWN = 20;
const words = en.policy.backtest;

/** What would be decided otherwise. */
export function BacktestFindings({
  sum,
  isPartial,
}: {
  readonly sum: BacktestSum;
  readonly isPartial: boolean;
}): ReactNode {
  const isSame = sum.changed === 0 && sum.effectsChanged === 0 && sum.redactionsChanged === 0;
  return (
    <div className={own['verdict']}>
      <p className={`${controls['note']} ${sum.examined > 0 && isSame ? controls['good'] : ''}`}>
        {sum.examined === 0 ? words.none : isSame ? words.same : words.changed(sum.changed)}
      </p>
      <p className={controls['hint']}>
        {words.examined(sum.examined)}
        {sum.skipped === 0 ? '' : `; ${words.skipped(sum.skipped)}`}
      </p>
      {isPartial ? <p className={`${controls['note']} ${controls['warn']}`}>{words.partial}</p> : null}
      {sum.changes.length === 0 ? null : <Changes changes={sum.changes} />}
      {sum.examples.length === 0 ? null : <Examples examples={sum.examples} />}
      {sum.effectsChanged === 0 ? null : <Effects sum={sum} />}
      {sum.redactionsChanged === 0 ? null : <p>{words.redactions(sum.redactionsChanged)}</p>}
    </div>
  );
}

const Shift = ({ change }: { readonly change: Pick<ChangeCount, 'from' | 'to'> }): ReactNode => {
  const isStricter = strictnessOf(change) > 0;
  return <Badge tone={isStricter ? null : 'warn'}>{isStricter ? words.stricter : words.milder}</Badge>;
};

const Changes = ({ changes }: { readonly changes: readonly ChangeCount[] }): ReactNode => (
  <div className={styles['scroll']}>
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">{words.columns.tool}</th>
          <th scope="col">{words.columns.from}</th>
          <th scope="col">{words.columns.to}</th>
          <th scope="col" className={styles['number']}>
            {words.columns.count}
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={`${change.tool_id} ${change.from} ${change.to}`}>
            <td>
              <Shown text={change.tool_id} isCode />
            </td>
            <td>{en.policy.modes[change.from]}</td>
            <td className={own['shift']}>
              {en.policy.modes[change.to]} <Shift change={change} />
            </td>
            <td className={styles['number']}>{change.count.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Examples = ({ examples }: Pick<BacktestSum, 'examples'>): ReactNode => (
  <div>
    <h3>{words.examples}</h3>
    <ul className={styles['rows']}>
      {examples.slice(0, EXAMPLES_SHOWN).map(({ operation_id, tool_id, from, to, rule_ids }) => (
        <li key={operation_id}>
          <Link
            to="/activity/$operationId"
            params={{ operationId: operation_id }}
            className={styles['row']}
            data-row=""
          >
            <span className={styles['name']}>
              <Shown text={tool_id} isCode />
            </span>
            <span className={styles['soft']}>
              {en.policy.modes[from]} → {en.policy.modes[to]}: <Shown text={rule_ids.join(', ')} />
            </span>
            <Id id={operation_id} isShort />
          </Link>
        </li>
      ))}
    </ul>
  </div>
);

const Effects = ({ sum }: { readonly sum: BacktestSum }): ReactNode => (
  <div>
    <h3>{words.effects(sum.effectsChanged)}</h3>
    <ul className={styles['rows']}>
      {sum.effectExamples.slice(0, EXAMPLES_SHOWN).map(({ operation_id, tool_id, from, to, headline }) => (
        <li key={operation_id}>
          <Link
            to="/activity/$operationId"
            params={{ operationId: operation_id }}
            className={styles['row']}
            data-row=""
          >
            <span className={styles['name']}>
              <Shown text={tool_id} isCode />
            </span>
            <span className={styles['soft']}>
              {en.policy.modes[from]} → {en.policy.modes[to]}: <Shown text={headline} />
            </span>
            <Id id={operation_id} isShort />
          </Link>
        </li>
      ))}
    </ul>
  </div>
);
