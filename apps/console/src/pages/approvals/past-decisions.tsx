// SPDX-License-Identifier: Apache-2.0
import type { PastDecision } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePastDecisions } from '../../data/approvals.ts';
import controls from '../../design/controls.module.css';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './held-call.module.css';

/** What people decided before about calls of the same agent to the same tool. */
export function PastDecisions({ approvalId }: { readonly approvalId: string }): ReactNode {
  const { data } = usePastDecisions(approvalId);
  if (data === undefined) return null;
  return (
    <section>
      <h2>{en.call.before}</h2>
      {data.items.length === 0 ? (
        <p className={controls['hint']}>{en.call.noneBefore}</p>
      ) : (
        <ul className={styles['past']}>
          {data.items.map((decision) => (
            <Past key={decision.approval_id} decision={decision} />
          ))}
        </ul>
      )}
    </section>
  );
}

const Past = ({ decision }: { readonly decision: PastDecision }): ReactNode => (
  <li>
    <Link to="/approvals/$approvalId" params={{ approvalId: decision.approval_id }}>
      <Badge tone={decision.outcome === 'approved' ? 'good' : decision.outcome === 'denied' ? 'bad' : null}>
        {en.call.decided[decision.outcome]}
      </Badge>
    </Link>{' '}
    <Shown text={decision.voters.join(', ')} />{' '}
    <span className={controls['hint']}>
      <Span at={decision.decided_at} />
    </span>
    {decision.comment === null ? null : (
      <p>
        <Shown text={decision.comment} />
      </p>
    )}
  </li>
);
