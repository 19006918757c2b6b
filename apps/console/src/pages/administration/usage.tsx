// SPDX-License-Identifier: Apache-2.0
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { CALLS_BY, daysUntil, useCallCounts, type CallsBy } from '../../data/usage.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { BarChart, COLOURS } from '../../parts/bar-chart.tsx';
import { stacksOf } from '../../parts/bars.ts';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { administration } from '../../words/administration.ts';
import styles from './administration.module.css';
import { Part } from './bits.tsx';
import { Costs } from './costs.tsx';

const words = administration.usage;
const SPANS = [7, 30, 90] as const;
const SPAN_DEFAULT = 30;

/** Calls and costs by day. */
export function Usage(): ReactNode {
  const { show } = useSearch({ from: '/administration' });
  const by = CALLS_BY.find((one) => one === show) ?? 'outcome';
  const [span, setSpan] = useState<number>(SPAN_DEFAULT);
  const [now] = useState(() => Date.now());
  const days = useMemo(() => daysUntil(now, span), [now, span]);
  return (
    <Part title={administration.tabs.usage} text={words.text} end={<End by={by} span={span} change={setSpan} />}>
      <div className={styles['body']}>
        <section className={styles['block']}>
          <h3>{words.calls}</h3>
          <Calls days={days} by={by} />
        </section>
        <section className={styles['block']}>
          <h3>{words.costs}</h3>
          <Costs days={days} />
        </section>
      </div>
    </Part>
  );
}

interface EndGiven {
  readonly by: CallsBy;
  readonly span: number;
  readonly change: (span: number) => void;
}

function End({ by, span, change }: EndGiven): ReactNode {
  const navigate = useNavigate({ from: '/administration/usage' });
  return (
    <>
      <label className={controls['inline']}>
        {words.by}
        <select
          className={controls['select']}
          value={by}
          onChange={({ target }) => void navigate({ search: { show: target.value }, replace: true })}
        >
          {CALLS_BY.map((one) => (
            <option key={one} value={one}>
              {words.callsBy[one]}
            </option>
          ))}
        </select>
      </label>
      <label className={controls['inline']}>
        {words.days}
        <select className={controls['select']} value={span} onChange={({ target }) => change(Number(target.value))}>
          {SPANS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

const MEMBERS = {
  outcome: 'outcome',
  agent: 'agent_id',
  tool: 'tool_id',
  person: 'person',
  key: 'api_key_id',
} as const;

function Calls({ days, by }: { readonly days: readonly string[]; readonly by: CallsBy }): ReactNode {
  const { data, error, isPending, refetch } = useCallCounts(days, by);
  const stacks = useMemo(() => {
    const counts = data?.items.map((item) => ({ day: item.day ?? '', of: item[MEMBERS[by]], value: item.calls }));
    return stacksOf(counts ?? [], days, COLOURS);
  }, [data, days, by]);
  if (isPending) return <Skeleton lines={6} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  if (stacks.series.length === 0) return <p className={controls['hint']}>{words.none}</p>;
  return (
    <>
      {data.isComplete ? null : <p role="alert">{words.incomplete}</p>}
      <BarChart
        caption={words.caption(words.calls, days[0] ?? '', days.at(-1) ?? '')}
        days={days}
        stacks={stacks}
        nameOf={(of) => <NameOf of={of} by={by} />}
      />
    </>
  );
}

function NameOf({ of, by }: { readonly of: string | null; readonly by: CallsBy }): ReactNode {
  if (of === null) return words.unknown;
  if (by === 'outcome') return words.outcomes[of] ?? <Shown text={of} />;
  if (by === 'agent') return <Agent id={of} />;
  return by === 'key' ? <Id id={of} isShort /> : <Shown text={of} isCode={by === 'tool'} />;
}
