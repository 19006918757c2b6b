// SPDX-License-Identifier: Apache-2.0
import type { Approval } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useExplanation } from '../../data/approvals.ts';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import styles from './held-call.module.css';

/** This reason repeats what the section below lists. */
const WOULD_PASS = 'policy.would_pass';

/** The reasons in words, the rules behind them, and what would have passed without a person. */
export function WhyHeld({ approval }: { readonly approval: Approval }): ReactNode {
  const { data } = useExplanation(approval.operation_id);
  const explanation = data?.then ?? null;
  return (
    <section>
      <h2>{en.call.why}</h2>
      <ul className={styles['reasons']}>
        {approval.reasons
          .filter(({ code }) => code !== WOULD_PASS)
          .map(({ code, message }) => (
            <li key={code} className={styles['reason']}>
              <code>
                <Shown text={code} />
              </code>
              <Shown text={message} />
            </li>
          ))}
      </ul>
      {explanation === null || explanation.would_pass.length === 0 ? null : (
        <>
          <h2 style={{ marginTop: '0.75rem' }}>{en.call.wouldPass}</h2>
          <ul className={styles['reasons']}>
            {explanation.would_pass.map((text) => (
              <li key={text}>
                <Shown text={text} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
