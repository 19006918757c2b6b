// SPDX-License-Identifier: Apache-2.0
import type { Session } from '@writ/client/web';
import type { ReactNode } from 'react';
import { Badge } from '../../parts/marks.tsx';
import { en } from '../../words/en.ts';
import styles from './sessions.module.css';

/** Where a session came from, and whether anybody is asked in it. */
export function SessionMarks({ session }: { readonly session: Session }): ReactNode {
  const marks = [
    session.forked_from === null ? null : en.sessions.marks.fork,
    session.job_id === null ? null : en.sessions.marks.job,
    session.spawned_by === null ? null : en.sessions.marks.subAgent,
    session.session_mode === 'gateway' ? en.sessions.marks.gateway : null,
  ].filter((mark) => mark !== null);
  return (
    <span className={styles['marks']}>
      {marks.map((mark) => (
        <Badge key={mark} tone={null}>
          {mark}
        </Badge>
      ))}
    </span>
  );
}
