// SPDX-License-Identifier: Apache-2.0
import type { Approval } from '@writ/client/web';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useApproval, useLiveApprovals } from '../../data/approvals.ts';
import { Agent } from '../../parts/agent.tsx';
import controls from '../../design/controls.module.css';
import { Json } from '../../parts/json.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment, Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import type { Choice } from './choice.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import { PastDecisions } from './past-decisions.tsx';
import { StagedEffect } from './staged-effect.tsx';
import { StartedBy } from './started-by.tsx';
import { Votes } from './votes.tsx';
import { WhyHeld } from './why-held.tsx';
import styles from './held-call.module.css';

/** The page of one held call: all that a person needs to decide, and the decision. */
export function HeldCall(): ReactNode {
  const { approvalId } = useParams({ from: '/approvals/$approvalId' });
  useLiveApprovals();
  const { data, error, isPending, refetch } = useApproval(approvalId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  // Anew for each call: what was seen of one says nothing of another.
  return <Call key={approvalId} approval={data} />;
}

function Call({ approval }: { readonly approval: Approval }): ReactNode {
  const navigate = useNavigate();
  const { seen, isStale, accept } = useSeenEffect(approval);
  // What was on the screen when the dialog was opened is what the decision is about.
  const [opened, setOpened] = useState<{ readonly choice: Choice; readonly seen: string | null } | null>(null);
  const choose = useCallback((choice: Choice) => setOpened({ choice, seen }), [seen]);
  const rights = rightsOf(approval, isStale);
  const keys = useMemo(
    () => ({
      u: () => void navigate({ to: '/approvals', search: {} }),
      ...(rights.mayApprove ? { a: () => choose('approve') } : {}),
      ...(rights.mayDeny ? { d: () => choose('deny') } : {}),
    }),
    [navigate, choose, rights.mayApprove, rights.mayDeny],
  );
  useKeys(keys);
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <Heading approval={approval} />
      <div className={styles['body']}>
        <div className={styles['main']}>
          {isStale ? <Stale accept={accept} /> : null}
          <p className={styles['of']}>{en.call.of[approval.of]}</p>
          <WhyHeld approval={approval} />
          <Arguments approval={approval} />
          <StagedEffect approval={approval} />
        </div>
        <aside className={styles['side']}>
          <Decide approval={approval} rights={rights} choose={choose} />
          <Votes approval={approval} />
          <PastDecisions approvalId={approval.approval_id} />
          <Facts approval={approval} />
        </aside>
      </div>
      {opened === null ? null : (
        <DecisionDialog
          approval={approval}
          choice={opened.choice}
          seen={opened.seen}
          isStale={approval.binding.effect_digest !== opened.seen}
          close={() => setOpened(null)}
        />
      )}
    </article>
  );
}

const Arguments = ({ approval: { args, unreadable } }: { readonly approval: Approval }): ReactNode => (
  <section>
    <h2>{en.call.arguments}</h2>
    {unreadable === true ? (
      <p className={`${controls['note']} ${controls['bad']}`}>{en.call.unreadable}</p>
    ) : (
      <Json value={args} />
    )}
  </section>
);

interface SeenEffect {
  /** the digest of the effect that was read; null: none was there */
  readonly seen: string | null;
  /** another one is staged than was read */
  readonly isStale: boolean;
  /** null while there is nothing new to read */
  readonly accept: (() => void) | null;
}

/** Which effect a person has read. The first one is read when it is shown; each later one when they say so. */
function useSeenEffect(approval: Approval): SeenEffect {
  const staged = approval.binding.effect_digest;
  const [seen, setSeen] = useState(staged);
  if (seen === null && staged !== null) setSeen(staged);
  const isStale = seen !== null && staged !== seen;
  return { seen, isStale, accept: isStale && !isPreviewing(approval) ? () => setSeen(staged) : null };
}

const isPreviewing = ({ preview }: Approval): boolean => preview.state === 'waiting' || preview.state === 'running';

interface Rights {
  readonly mayApprove: boolean;
  readonly mayDeny: boolean;
}

/** What the buttons offer. The server decides: this only spares a refusal. */
function rightsOf(approval: Approval, isStale: boolean): Rights {
  const isOpen = approval.state === 'pending';
  const { you } = approval;
  return {
    mayApprove:
      isOpen &&
      !isStale &&
      !isPreviewing(approval) &&
      approval.unreadable !== true &&
      approval.of !== 'value' &&
      (you?.may_approve ?? true),
    mayDeny: isOpen && (you?.may_deny ?? true),
  };
}

function Heading({ approval }: { readonly approval: Approval }): ReactNode {
  return (
    <header className={styles['heading']}>
      <Link to="/approvals" search={{}} className={controls['hint']}>
        {en.call.back}
      </Link>
      <h1 id="page-title">
        <Shown text={approval.tool_id} isCode />
      </h1>
      <Badge tone={approval.state === 'pending' ? 'warn' : approval.state === 'approved' ? 'good' : null}>
        {en.call.decided[approval.state]}
      </Badge>
      {approval.state === 'pending' ? (
        <span className={controls['hint']}>
          {en.call.expires} <Span at={approval.expires_at} isFuture />
        </span>
      ) : null}
    </header>
  );
}

function Stale({ accept }: { readonly accept: (() => void) | null }): ReactNode {
  return (
    <div className={`${controls['note']} ${controls['warn']}`} role="alert">
      <p>{en.call.stale}</p>
      {accept === null ? null : (
        <button type="button" className={controls['button']} onClick={accept}>
          {en.call.seen}
        </button>
      )}
    </div>
  );
}

interface DecideGiven {
  readonly approval: Approval;
  readonly rights: Rights;
  readonly choose: (choice: Choice) => void;
}

function Decide({ approval, rights: { mayApprove, mayDeny }, choose }: DecideGiven): ReactNode {
  if (approval.state !== 'pending') return null;
  const why = approval.you?.why ?? [];
  const hasSession = approval.of === 'action' || approval.of === 'effect';
  return (
    <section className={styles['decide']}>
      <button
        type="button"
        className={`${controls['button']} ${controls['main']}`}
        disabled={!mayApprove}
        aria-keyshortcuts="a"
        onClick={() => choose('approve')}
      >
        {en.call.approve}
      </button>
      <button
        type="button"
        className={`${controls['button']} ${controls['danger']}`}
        disabled={!mayDeny}
        aria-keyshortcuts="d"
        onClick={() => choose('deny')}
      >
        {en.call.deny}
      </button>
      {hasSession ? (
        <button
          type="button"
          className={`${controls['button']} ${controls['plain']}`}
          disabled={!mayApprove}
          onClick={() => choose('session')}
        >
          {en.call.session}
        </button>
      ) : null}
      {why.length === 0 ? null : (
        <div className={controls['note']}>
          <h2>{mayDeny ? en.call.youMayDeny : en.call.youMayNot}</h2>
          <ul>
            {why.map(({ code, message }) => (
              <li key={code}>
                <Shown text={message} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <p className={controls['hint']}>{en.call.keys}</p>
    </section>
  );
}

function Facts({ approval }: { readonly approval: Approval }): ReactNode {
  const { binding, preview } = approval;
  return (
    <dl className={styles['facts']}>
      <dt>{en.call.operation}</dt>
      <dd>
        <Link to="/activity/$operationId" params={{ operationId: approval.operation_id }}>
          <Id id={approval.operation_id} />
        </Link>
      </dd>
      <dt>{en.call.agent}</dt>
      <dd>
        <Agent id={approval.agent_id} />
      </dd>
      <StartedBy approval={approval} />
      <dt>{en.call.created}</dt>
      <dd>
        <Moment at={approval.created_at} />
      </dd>
      <dt>{en.call.expires}</dt>
      <dd>
        <Moment at={approval.expires_at} />
      </dd>
      <dt>{en.call.actionDigest}</dt>
      <dd>
        <Id id={approval.action_digest} />
      </dd>
      {binding.effect_digest === null ? null : (
        <>
          <dt>{en.call.digest}</dt>
          <dd>
            <Id id={binding.effect_digest} />
          </dd>
        </>
      )}
      {preview.base_snapshot_id === null ? null : (
        <>
          <dt>{en.call.snapshot}</dt>
          <dd>
            <Id id={preview.base_snapshot_id} />
          </dd>
        </>
      )}
    </dl>
  );
}
