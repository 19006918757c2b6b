// SPDX-License-Identifier: Apache-2.0
import type { UsageItem } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { COSTS_BY, useCosts, type CostsBy } from '../../data/usage.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { administration } from '../../words/administration.ts';
import styles from './administration.module.css';
import { costText } from './cost-text.ts';

const words = administration.usage;

/** What runs read, wrote and cost. */
export function Costs({ days }: { readonly days: readonly string[] }): ReactNode {
  const [by, setBy] = useState<CostsBy>('model');
  const { data, error, isPending, refetch } = useCosts(days, by);
  if (isPending) return <Skeleton lines={3} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  if (data.length === 0) return <p className={controls['hint']}>{words.noCosts}</p>;
  return (
    <>
      <label className={controls['inline']}>
        {words.by}
        <select
          className={controls['select']}
          value={by}
          onChange={({ target }) => setBy(COSTS_BY.find((one) => one === target.value) ?? 'model')}
        >
          {COSTS_BY.map((one) => (
            <option key={one} value={one}>
              {words.costsBy[one]}
            </option>
          ))}
        </select>
      </label>
      <CostTable items={data} by={by} />
    </>
  );
}

const CostTable = ({ items, by }: { readonly items: readonly UsageItem[]; readonly by: CostsBy }): ReactNode => (
  <table className={styles['table']}>
    <thead>
      <tr>
        <th scope="col">{words.costColumns.of}</th>
        {(['runs', 'input', 'output', 'cost'] as const).map((column) => (
          <th key={column} scope="col" data-number>
            {words.costColumns[column]}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {items.map((item) => (
        <tr key={`${item.of ?? ''} ${item.model} ${item.currency ?? ''}`}>
          <td>
            {by === 'agent' && item.of !== null ? (
              <>
                <Agent id={item.of} /> · <Shown text={item.model} />
              </>
            ) : (
              <Shown text={item.model} />
            )}
          </td>
          <td data-number>{item.runs.toLocaleString('en')}</td>
          <td data-number>{item.input_tokens.toLocaleString('en')}</td>
          <td data-number>{item.output_tokens.toLocaleString('en')}</td>
          <td data-number>
            <Shown text={costText(item.cost, item.currency)} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
