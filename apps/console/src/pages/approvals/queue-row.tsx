// SPDX-License-Identifier: Apache-2.0
import type { ApprovalBrief } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { Agent } from '../../parts/agent.tsx';
import { Badge, Risk } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './inbox.module.css';

interface RowGiven {
  readonly row: ApprovalBrief;
  readonly isChosen: boolean;
}

/** One waiting call. */
export const QueueRow = memo(({ row, isChosen }: RowGiven): ReactNode => {
  const { given, needed } = row.votes;
  return (
    <Link
      to="/approvals/$approvalId"
      params={{ approvalId: row.approval_id }}
      className={styles['row']}
      data-chosen={isChosen || undefined}
    >
      <span className={styles['rowTool']}>
        <Shown text={row.tool_id} isCode />
        {row.autonomy_mode === 'escalated' ? <Badge tone="warn">{en.approvals.modes.escalated}</Badge> : null}
      </span>
      <span className={styles['rowWhy']}>
        <Shown text={row.reason_codes.join(', ')} />
      </span>
      <span className={styles['rowAgent']}>
        <Agent id={row.agent_id} />
      </span>
      <span className={styles['rowRisk']}>
        <Risk score={row.risk_score} />
      </span>
      <span className={styles['rowVotes']}>{needed > 1 ? en.approvals.votes(given, needed) : ''}</span>
      <span className={styles['rowAge']}>
        <Span at={row.created_at} />
      </span>
      <span className={styles['rowExpires']}>
        <Span at={row.expires_at} isFuture />
      </span>
    </Link>
  );
});
QueueRow.displayName = 'QueueRow';
