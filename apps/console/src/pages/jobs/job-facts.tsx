// SPDX-License-Identifier: Apache-2.0
import type { Job } from '@writ/client/web';
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './jobs.module.css';
import { NextRun } from './next-run.tsx';

/** When a job runs, with what, and under which rules. */
export function JobFacts({ job }: { readonly job: Job }): ReactNode {
  const isDue = job.state === 'active' && job.due_at !== null;
  return (
    <aside className={styles['side']}>
      <dl className={styles['facts']}>
        <dt>{en.jobs.next}</dt>
        <dd>
          <NextRun job={job} />
          {isDue ? (
            <p className={controls['hint']}>
              <Moment at={job.due_at ?? 0} />
            </p>
          ) : null}
        </dd>
        <dt>{en.jobs.schedule}</dt>
        <dd>
          <Shown text={job.cron} isCode /> <Shown text={job.time_zone} />
        </dd>
        <dt>{en.call.agent}</dt>
        <dd>
          <Agent id={job.agent_id} />
        </dd>
        <dt>{en.sessions.model}</dt>
        <dd>
          <Shown text={job.model} />
        </dd>
        <dt>{en.jobs.conversation}</dt>
        <dd>{en.jobs.conversations[job.conversation]}</dd>
        <dt>{en.jobs.overlap}</dt>
        <dd>{en.jobs.overlaps[job.overlap]}</dd>
        <dt>{en.jobs.missed}</dt>
        <dd>{en.jobs.missedRules[job.missed]}</dd>
        <Limits job={job} />
        <dt>{en.call.workspace}</dt>
        <dd>
          <Id id={job.workspace_id} />
        </dd>
        <dt>{en.sessions.token}</dt>
        <dd>
          <Id id={job.run_token_id} />
        </dd>
        <dt>{en.jobs.changed}</dt>
        <dd>
          <Moment at={job.changed_at} />
        </dd>
      </dl>
    </aside>
  );
}

function Limits({ job }: { readonly job: Job }): ReactNode {
  const limits = [
    job.rounds_max === null ? null : en.jobs.rounds(job.rounds_max),
    job.tokens_max === null ? null : en.jobs.tokens(job.tokens_max),
    job.cost_max === null ? null : en.sessions.cost(job.cost_max, null),
  ].filter((limit) => limit !== null);
  if (limits.length === 0) return null;
  return (
    <>
      <dt>{en.jobs.limits}</dt>
      <dd>{limits.join(', ')}</dd>
    </>
  );
}
