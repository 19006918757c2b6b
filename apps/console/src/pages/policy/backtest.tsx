// SPDX-License-Identifier: Apache-2.0
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { readBacktest, type BacktestPages, type Candidate } from '../../data/policies.ts';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { errorText } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { BacktestFindings } from './backtest-findings.tsx';
import { sumOf, type BacktestSum } from './backtest-sum.ts';

const DAY_MS = 86_400_000;
const PERIODS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, all: null } as const;
type Period = keyof typeof PERIODS;

interface BacktestGiven {
  readonly candidate: Candidate;
  /** receives what was found */
  readonly report?: (sum: BacktestSum) => void;
}

/** Asks a set about recorded calls. */
export function Backtest({ candidate, report }: BacktestGiven): ReactNode {
  const [period, setPeriod] = useState<Period>('week');
  const { test, stop, examined } = useBacktest(candidate, report);
  return (
    <section>
      <h2>{en.policy.backtest.title}</h2>
      <div className={styles['stack']}>
        <p className={controls['hint']}>{en.policy.backtest.text}</p>
        <div className={controls['actions']}>
          <label className={controls['inline']}>
            {en.policy.backtest.period}
            <select
              className={controls['select']}
              value={period}
              onChange={({ target }) => setPeriod(target.value as Period)}
            >
              {Object.entries(en.policy.backtest.periods).map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            className={controls['button']}
            onClick={() => (test.isPending ? stop() : test.mutate(period))}
          >
            {test.isPending ? en.policy.backtest.stop : en.policy.backtest.run}
          </button>
        </div>
        <div className={styles['wide']} aria-live="polite">
          {test.isPending ? <p className={controls['hint']}>{en.policy.backtest.running(examined)}</p> : null}
          {test.data === undefined ? null : (
            <BacktestFindings sum={sumOf(test.data.pages)} isPartial={test.data.isPartial} />
          )}
        </div>
        {test.isError && !isAbort(test.error) ? (
          <p className={`${controls['note']} ${controls['bad']} ${styles['wide']}`} role="alert">
            <Shown text={errorText(test.error)} />
          </p>
        ) : null}
      </div>
    </section>
  );
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

function useBacktest(candidate: Candidate, report: BacktestGiven['report']) {
  const { api } = useSession();
  const [examined, setExamined] = useState(0);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const test = useMutation({
    retry: false,
    mutationFn: async (period: Period): Promise<BacktestPages> => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      setExamined(0);
      const span = PERIODS[period];
      const since = span === null ? 0 : Date.now() - span;
      return await readBacktest(api, { candidate, since, signal }, setExamined);
    },
    onSuccess: ({ pages }) => report?.(sumOf(pages)),
  });
  return { test, examined, stop: () => running.current?.abort() };
}
