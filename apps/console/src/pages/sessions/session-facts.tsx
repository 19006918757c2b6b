// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import type { SessionTranscript } from '../../data/transcript.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './sessions.module.css';

/** Beside a conversation there is room for facts from here on; below it they are folded. */
const WIDE = '(min-width: 60rem)';

/** What a session works with, and what its reader may not do in it. */
export function SessionFacts({ transcript: { session } }: { readonly transcript: SessionTranscript }): ReactNode {
  const facts: readonly (readonly [string, ReactNode])[] = [
    [en.operation.session, <Id key="id" id={session.session_id} />],
    [en.call.agent, <Agent key="agent" id={session.agent_id} />],
    [en.sessions.model, <Shown key="model" text={session.model} />],
    [en.sessions.workspace, <Id key="workspace" id={session.workspace_id} />],
    [en.sessions.token, <Id key="token" id={session.capability_token_id} />],
    [en.sessions.columns.when, <Moment key="when" at={session.created_at} />],
  ];
  return (
    <aside className={styles['side']}>
      <details open={window.matchMedia(WIDE).matches}>
        <summary>{en.sessions.facts}</summary>
        <dl className={styles['facts']} aria-label={en.sessions.facts}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          {session.job_id === null ? null : (
            <div>
              <dt>{en.sessions.marks.job}</dt>
              <dd>
                <Link to="/jobs/$jobId" params={{ jobId: session.job_id }}>
                  <Id id={session.job_id} />
                </Link>
              </dd>
            </div>
          )}
          {session.spawned_by === null ? null : (
            <div>
              <dt>{en.sessions.marks.subAgent}</dt>
              <dd>
                <Link to="/activity/$operationId" params={{ operationId: session.spawned_by.operation_id }}>
                  <Id id={session.spawned_by.operation_id} />
                </Link>
              </dd>
            </div>
          )}
        </dl>
        <Link to="/activity" search={{ session_id: session.session_id }}>
          {en.sessions.calls}
        </Link>
        <Rights />
      </details>
    </aside>
  );
}

/** What the role of the reader leaves to others. */
function Rights(): ReactNode {
  const { me } = useSession();
  if (me.role === 'admin') return null;
  return (
    <section>
      <h2>{en.sessions.rights}</h2>
      <p className={controls['hint']}>{en.sessions.mayNotStart}</p>
      {me.role === 'operator' ? null : (
        <p className={controls['hint']}>
          {en.sessions.mayNotCancel} {en.sessions.mayNotReplay}
        </p>
      )}
    </section>
  );
}
