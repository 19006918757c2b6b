// SPDX-License-Identifier: Apache-2.0
import type { PolicyDiff } from '@writ/client/web';
import { useMemo, type ReactNode } from 'react';
import { usePolicyDiff } from '../../data/policies.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { Diff } from '../../parts/diff.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { differingTexts } from '../../parts/text-lines.ts';
import { en } from '../../words/en.ts';

const SPACES = 2;

/** How a set differs from the one in force, rule by rule. */
export function Differences({ policy }: { readonly policy: string }): ReactNode {
  const { data, error, isPending, refetch } = usePolicyDiff(policy, true);
  return (
    <section>
      <h2>{en.policy.difference}</h2>
      {isPending ? (
        <Skeleton lines={4} />
      ) : data === undefined ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Found diff={data} />
      )}
    </section>
  );
}

function Found({ diff }: { readonly diff: PolicyDiff }): ReactNode {
  const files = useMemo(
    () => [
      ...diff.rules.map(({ id, before, after }) => differingTexts(id, before, after)),
      ...diff.history.map(({ id, before, after }) =>
        differingTexts(en.policy.historyRule(id), jsonOf(before), jsonOf(after)),
      ),
    ],
    [diff],
  );
  if (files.length === 0 && diff.settings.length === 0)
    return <p className={controls['hint']}>{en.policy.noDifference}</p>;
  return (
    <div className={styles['stack']}>
      {diff.settings.length === 0 ? null : <Settings settings={diff.settings} />}
      {files.length === 0 ? null : (
        <div className={styles['wide']}>
          <Diff files={files} total={files.length} count={en.policy.rulesDiffer} />
        </div>
      )}
    </div>
  );
}

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value, null, SPACES));

const Settings = ({ settings }: Pick<PolicyDiff, 'settings'>): ReactNode => (
  <div className={`${styles['wide']} ${styles['scroll']}`}>
    <table className={styles['table']} aria-label={en.policy.changedSettings}>
      <thead>
        <tr>
          <th scope="col">{en.policy.setting}</th>
          <th scope="col">{en.policy.before}</th>
          <th scope="col">{en.policy.after}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ pointer, before, after }) => (
          <tr key={pointer}>
            <td>
              <Shown text={pointer} isCode />
            </td>
            <td>
              <Shown text={String(before ?? '–')} />
            </td>
            <td>
              <Shown text={String(after ?? '–')} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
