// SPDX-License-Identifier: Apache-2.0
import type { Token } from '@writ/client/web';
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { en } from '../../words/en.ts';
import { BUDGETS } from './grant-fields.ts';
import own from './tokens.module.css';

const words = en.tokens;
type Budgeted = Pick<Token, 'grant' | 'used' | 'reserved' | 'left'>;

/** The share of a bound that is used and reserved, from 0 to 1. A bound of nothing is used up. */
const shareOf = (spent: number, bound: number): number => (bound === 0 ? 1 : Math.min(1, spent / bound));

interface MeterGiven {
  readonly name: string;
  readonly spent: number;
  readonly bound: number;
}

function Meter({ name, spent, bound }: MeterGiven): ReactNode {
  const share = shareOf(spent, bound);
  const label = words.usedOf(words.budgets[name] ?? name, spent, bound);
  return (
    <span className={own['meter']} title={label}>
      <span className={own['track']} role="img" aria-label={label}>
        <span className={own['fill']} data-full={share === 1 || undefined} style={{ width: `${share * 100}%` }} />
      </span>
      <span aria-hidden="true">{`${spent.toLocaleString('en')} / ${bound.toLocaleString('en')}`}</span>
    </span>
  );
}

/** The budget of which the most is used, for a row. */
export function TightestBudget({ token }: { readonly token: Budgeted }): ReactNode {
  const bounds = BUDGETS.flatMap((name) => {
    const bound = token.grant.budgets[name];
    return bound === undefined ? [] : [{ name, bound, spent: (token.used[name] ?? 0) + (token.reserved[name] ?? 0) }];
  });
  const [tightest] = bounds.toSorted((one, other) => shareOf(other.spent, other.bound) - shareOf(one.spent, one.bound));
  return tightest === undefined ? <span className={controls['hint']}>{words.unbounded}</span> : <Meter {...tightest} />;
}

/** Every budget that bounds a token, its own or that of a token above it. */
export function BudgetTable({ token }: { readonly token: Budgeted }): ReactNode {
  const names = BUDGETS.filter((name) => token.grant.budgets[name] !== undefined || token.left[name] !== undefined);
  if (names.length === 0) return <p className={controls['hint']}>{words.noBudgets}</p>;
  const text = (value: number | undefined): string => (value === undefined ? '–' : value.toLocaleString('en'));
  return (
    <div className={styles['scroll']}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">{words.columns.budget}</th>
            {(['bound', 'used', 'reserved', 'left'] as const).map((column) => (
              <th key={column} scope="col" className={styles['number']}>
                {words.columns[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <td>{words.budgets[name]}</td>
              <td className={styles['number']}>{text(token.grant.budgets[name])}</td>
              <td className={styles['number']}>{text(token.used[name] ?? 0)}</td>
              <td className={styles['number']}>{text(token.reserved[name] ?? 0)}</td>
              <td className={styles['number']}>{text(token.left[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
