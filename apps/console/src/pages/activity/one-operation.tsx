// SPDX-License-Identifier: Apache-2.0
import type { Operation } from '@writ/client/web';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOperation } from '../../data/operations.ts';
import controls from '../../design/controls.module.css';
import { Json } from '../../parts/json.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Risk, State } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './activity.module.css';
import { ReceiptCheck } from './receipt-check.tsx';
import { Timeline } from './timeline.tsx';

/** The page of one call: its states in time, its result and its receipt. */
export function OneOperation(): ReactNode {
  const { operationId } = useParams({ from: '/activity/$operationId' });
  const { data, error, isPending, refetch } = useOperation(operationId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page operation={data} />;
}

function Page({ operation }: { readonly operation: Operation }): ReactNode {
  const result = operation.result ?? operation.expanded?.result ?? null;
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/activity" search={{}} className={controls['hint']}>
          {en.operation.back}
        </Link>
        <h1 id="page-title">
          <Shown text={operation.tool_id} isCode />
        </h1>
        <State state={operation.state} />
        {operation.approval_id === null ? null : (
          <Link to="/approvals/$approvalId" params={{ approvalId: operation.approval_id }}>
            {en.operation.openApproval}
          </Link>
        )}
      </header>
      <div className={styles['body']}>
        <div className={styles['main']}>
          <section>
            <h2>{en.operation.timeline}</h2>
            <Timeline operation={operation} />
          </section>
          <section>
            <h2>{en.operation.result}</h2>
            {result === null ? (
              <p className={controls['hint']}>{en.operation.noResult}</p>
            ) : (
              <Json value={result.error === null ? result.result : { error: result.error, result: result.result }} />
            )}
          </section>
          <ReceiptCheck key={operation.operation_id} operationId={operation.operation_id} />
        </div>
        <aside className={styles['side']}>
          <Facts operation={operation} />
        </aside>
      </div>
    </article>
  );
}

function Facts({ operation }: { readonly operation: Operation }): ReactNode {
  const facts: readonly (readonly [string, string | null])[] = [
    [en.call.operation, operation.operation_id],
    [en.call.agent, operation.agent_id],
    [en.operation.token, operation.capability_token_id],
    [en.call.workspace, operation.workspace_id],
    [en.operation.session, operation.session_id],
    [en.operation.record, operation.decision_record_id],
  ];
  return (
    <dl className={styles['facts']} aria-label={en.operation.facts}>
      {facts.map(([name, id]) =>
        id === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Id id={id} />
            </dd>
          </div>
        ),
      )}
      <div>
        <dt>{en.call.risk}</dt>
        <dd>
          <Risk score={operation.risk_score} />
        </dd>
      </div>
      <div>
        <dt>{en.states['proposed']}</dt>
        <dd>
          <Moment at={operation.created_at} />
        </dd>
      </div>
    </dl>
  );
}
