// SPDX-License-Identifier: Apache-2.0
import type { PolicySetWhole } from '@writ/client/web';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { usePolicies, usePolicy } from '../../data/policies.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { CedarText } from '../../parts/cedar-text.tsx';
import { Json } from '../../parts/json.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { Activate } from './activation-dialogs.tsx';
import type { BacktestSum } from './backtest-sum.ts';
import { Backtest } from './backtest.tsx';
import { Differences } from './differences.tsx';
import { AdminNote, useMayAdminister } from './rights.tsx';
import { Simulate } from './simulate.tsx';

/** The page of one policy set: what it says, what it would change, and its activation. */
export function OnePolicy(): ReactNode {
  const { policy } = useParams({ from: '/policy/$policy' });
  const { data, error, isPending, refetch } = usePolicy(policy);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  // Anew for each set: what was tested of one says nothing of another.
  return <Page key={data.policy_hash} set={data} />;
}

function Page({ set }: { readonly set: PolicySetWhole }): ReactNode {
  const [tested, setTested] = useState<BacktestSum | null>(null);
  const { cedar, ...settings } = set.document;
  const candidate = { policy: set.policy_hash };
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <Heading set={set} tested={tested} />
      <div className={styles['body']}>
        <div className={styles['main']}>
          <AdminNote />
          {set.active ? null : <Backtest candidate={candidate} report={setTested} />}
          {set.active ? null : <Differences policy={set.policy_hash} />}
          <section>
            <h2>{en.policy.rules}</h2>
            {typeof cedar === 'string' && cedar !== '' ? (
              <CedarText text={cedar} label={en.policy.rulesOfSet} isNumbered />
            ) : (
              <p className={controls['hint']}>{en.policy.noRules}</p>
            )}
          </section>
          <section>
            <h2>{en.policy.settings}</h2>
            <Json value={settings} />
          </section>
          <Simulate candidate={candidate} />
        </div>
        <aside className={styles['side']}>
          <Facts set={set} />
        </aside>
      </div>
    </article>
  );
}

function Heading({ set, tested }: { readonly set: PolicySetWhole; readonly tested: BacktestSum | null }): ReactNode {
  const active = usePolicies().data?.pages[0]?.active;
  const isAllowed = useMayAdminister();
  return (
    <header className={styles['heading']}>
      <Link to="/policy" search={{}} className={controls['hint']}>
        {en.policy.back}
      </Link>
      <h1 id="page-title">
        <Shown text={en.policy.version(set.name, set.version)} isCode />
      </h1>
      {set.active ? <Badge tone="good">{en.policy.active}</Badge> : null}
      {set.shipped ? <Badge tone={null}>{en.policy.shipped}</Badge> : null}
      {set.enforcement === 'observe' ? <Badge tone="warn">{en.policy.observe}</Badge> : null}
      <div className={styles['actions']}>
        <Link to="/policy/edit" search={{ from: set.policy_hash }} className={controls['button']}>
          {en.policy.edit}
        </Link>
        {set.active || active === undefined ? null : (
          <Activate set={set} active={active} tested={tested} isAllowed={isAllowed} />
        )}
      </div>
    </header>
  );
}

function Facts({ set }: { readonly set: PolicySetWhole }): ReactNode {
  return (
    <dl className={styles['facts']} aria-label={en.policy.facts}>
      {set.description === '' ? null : (
        <>
          <dt>{en.policy.description}</dt>
          <dd>
            <Shown text={set.description} />
          </dd>
        </>
      )}
      <dt>{en.policy.hash}</dt>
      <dd>
        <Id id={set.policy_hash} />
      </dd>
      {set.created_at === null ? null : (
        <>
          <dt>{en.policy.created}</dt>
          <dd>
            <Moment at={set.created_at} />
          </dd>
        </>
      )}
      {set.created_by === null ? null : (
        <>
          <dt>{en.policy.by}</dt>
          <dd>
            <Id id={set.created_by} />
          </dd>
        </>
      )}
    </dl>
  );
}
