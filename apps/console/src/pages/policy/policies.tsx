// SPDX-License-Identifier: Apache-2.0
import type { PolicyActivation, PolicySet } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useActivations, usePolicies } from '../../data/policies.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { useRowFocus } from '../../parts/row-focus.ts';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment, Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { RollBack } from './activation-dialogs.tsx';
import { AdminNote, useMayAdminister } from './rights.tsx';

/** The policy sets: the one in force, the versions, and which were in force before. */
export function Policies(): ReactNode {
  useRowFocus();
  const list = usePolicies();
  const active = list.data?.pages[0]?.active;
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <h1 id="page-title">{en.policy.title}</h1>
        <div className={styles['actions']}>
          <Link to="/policy/edit" search={{}} className={controls['button']}>
            {en.policy.write}
          </Link>
        </div>
      </header>
      {list.isPending ? (
        <Skeleton lines={12} />
      ) : active === undefined ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : (
        <div className={styles['body']}>
          <div className={styles['main']}>
            <AdminNote />
            <InForce active={active} />
            <Own sets={list.data?.pages.flatMap(({ items }) => items) ?? []}>
              {list.hasNextPage ? <Older read={() => void list.fetchNextPage()} /> : null}
            </Own>
            <section>
              <h2>{en.policy.shipped}</h2>
              <p className={controls['hint']}>{en.policy.shippedText}</p>
              <Sets sets={list.data?.pages[0]?.shipped ?? []} />
            </section>
            <Activations />
          </div>
        </div>
      )}
    </section>
  );
}

function InForce({ active }: { readonly active: PolicyActivation }): ReactNode {
  return (
    <section>
      <h2>{en.policy.active}</h2>
      <div className={styles['stack']}>
        <p>
          <Link to="/policy/$policy" params={{ policy: active.policy_hash }} className={styles['name']}>
            <Shown text={en.policy.version(active.name, active.version)} />
          </Link>{' '}
          <EnforcementBadge enforcement={active.enforcement} />
        </p>
        {active.at === null ? (
          <p className={controls['hint']}>{en.policy.noHistory}</p>
        ) : (
          <p className={styles['soft']}>
            {en.policy.since} <Moment at={active.at} />
            {active.activated_by === null ? null : (
              <>
                , {en.policy.by.toLowerCase()} <Id id={active.activated_by} />
              </>
            )}
          </p>
        )}
        {active.note === null ? null : (
          <p>
            <Shown text={active.note} />
          </p>
        )}
        {active.seq === 0 ? null : <RollBack active={active} isAllowed={useMayAdminister()} />}
      </div>
    </section>
  );
}

const EnforcementBadge = ({ enforcement }: Pick<PolicySet, 'enforcement'>): ReactNode =>
  enforcement === 'observe' ? <Badge tone="warn">{en.policy.observe}</Badge> : null;

const Own = ({ sets, children }: { readonly sets: readonly PolicySet[]; readonly children: ReactNode }): ReactNode => (
  <section>
    <h2>{en.policy.own}</h2>
    {sets.length === 0 ? <p className={controls['hint']}>{en.policy.noOwn}</p> : <Sets sets={sets} />}
    {children}
  </section>
);

const Sets = ({ sets }: { readonly sets: readonly PolicySet[] }): ReactNode => (
  <ul className={styles['rows']}>
    {sets.map((set) => (
      <li key={set.policy_hash}>
        <Link to="/policy/$policy" params={{ policy: set.policy_hash }} className={styles['row']} data-row="">
          <span className={styles['name']}>
            <Shown text={en.policy.version(set.name, set.version)} />
          </span>
          <span className={styles['soft']}>
            <Shown text={set.description} />
          </span>
          <span className={styles['badges']}>
            {set.active ? <Badge tone="good">{en.policy.active}</Badge> : null}
            <EnforcementBadge enforcement={set.enforcement} />
          </span>
          <span className={styles['soft']}>{set.created_at === null ? null : <Span at={set.created_at} />}</span>
        </Link>
      </li>
    ))}
  </ul>
);

const Older = ({ read }: { readonly read: () => void }): ReactNode => (
  <button type="button" className={controls['button']} onClick={read}>
    {en.policy.older}
  </button>
);

function Activations(): ReactNode {
  const list = useActivations();
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section>
      <h2>{en.policy.history}</h2>
      {list.isPending ? (
        <Skeleton lines={3} />
      ) : list.isError ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : items.length === 0 ? (
        <p className={controls['hint']}>{en.policy.noHistory}</p>
      ) : (
        <ul className={styles['rows']}>
          {items.map((one) => (
            <li key={one.seq}>
              <ActivationRow activation={one} />
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage ? <Older read={() => void list.fetchNextPage()} /> : null}
    </section>
  );
}

const ActivationRow = ({ activation }: { readonly activation: PolicyActivation }): ReactNode => (
  <Link to="/policy/$policy" params={{ policy: activation.policy_hash }} className={styles['row']} data-row="">
    <span className={styles['name']}>
      <Shown text={en.policy.version(activation.name, activation.version)} />
    </span>
    <span className={styles['soft']}>
      <Shown text={activation.note ?? ''} />
    </span>
    <span>{activation.activated_by === null ? null : <Id id={activation.activated_by} isShort />}</span>
    <span className={styles['soft']}>{activation.at === null ? null : <Span at={activation.at} />}</span>
  </Link>
);
