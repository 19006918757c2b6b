// SPDX-License-Identifier: Apache-2.0
import type { ApprovalGroup } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Risk } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import styles from './inbox.module.css';
import type { InboxSearch } from './inbox-search.ts';

interface GroupsGiven {
  readonly groups: readonly ApprovalGroup[];
  readonly chosen: string | null;
}

/** Groups of alike calls, the largest first. One of them filters the queue; again, and it doesn't. */
export function AlikeGroups({ groups, chosen }: GroupsGiven): ReactNode {
  if (groups.length === 0) return null;
  return (
    <nav className={styles['groups']} aria-label={en.approvals.alike}>
      <h2>{en.approvals.alike}</h2>
      <ul>
        {groups.map((group) => (
          <li key={group.alike}>
            <Link
              to="/approvals"
              search={(before: InboxSearch) => ({ ...before, alike: group.alike === chosen ? undefined : group.alike })}
              className={styles['group']}
              aria-current={group.alike === chosen ? 'true' : undefined}
            >
              <span className={styles['groupTool']}>
                <Shown text={group.tool_id} isCode />
              </span>
              <Risk score={group.risk_score} />
              <span className={styles['groupCount']}>{group.count.toLocaleString('en')}</span>
              <span className={styles['groupWhy']}>
                <Shown text={group.reason_codes.join(', ')} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
