// SPDX-License-Identifier: Apache-2.0
import type { Token } from '@writ/client/web';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useToken } from '../../data/tokens.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id } from '../../parts/shown.tsx';
import { Moment, useNow } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { Attenuate } from './attenuate.tsx';
import { BudgetTable, TightestBudget } from './budgets.tsx';
import { GrantShown } from './grant-shown.tsx';
import { Revoke } from './revoke.tsx';
import { stateOf } from './token-tree.ts';
import { TokenBadge } from './tokens.tsx';

const words = en.tokens;

/** The page of one token: what it grants, what of its budgets is used, where it comes from and what was made of it. */
export function OneToken(): ReactNode {
  const { tokenId } = useParams({ from: '/tokens/$tokenId' });
  const { data, error, isPending, refetch } = useToken(tokenId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page key={tokenId} token={data} />;
}

function Page({ token }: { readonly token: Token }): ReactNode {
  const state = stateOf(token, useNow());
  const children = token.expanded?.children?.items ?? [];
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/tokens" search={{}} className={controls['hint']}>
          {words.back}
        </Link>
        <h1 id="page-title">
          <Agent id={token.agent_id} /> <Id id={token.capability_token_id} isShort />
        </h1>
        <TokenBadge state={state} />
        <Kinds token={token} />
        <div className={styles['actions']}>
          <Attenuate token={token} isUsable={state !== 'revoked' && state !== 'expired'} />
          <Revoke token={token} childCount={children.length} />
        </div>
      </header>
      <div className={styles['body']}>
        <div className={styles['main']}>
          <section>
            <h2>{words.budgetTitle}</h2>
            <BudgetTable token={token} />
          </section>
          <section>
            <h2>{words.grant}</h2>
            <GrantShown grant={token.grant} />
          </section>
          <section>
            <h2>{words.children}</h2>
            <Children tokens={children} />
          </section>
        </div>
        <aside className={styles['side']}>
          <Facts token={token} />
        </aside>
      </div>
    </article>
  );
}

const Kinds = ({ token }: { readonly token: Token }): ReactNode => (
  <span className={styles['badges']}>
    {token.session_approval === undefined ? null : <Badge tone={null}>{words.session}</Badge>}
    {token.job === undefined ? null : <Badge tone={null}>{words.job}</Badge>}
    {token.spawned_by === undefined ? null : <Badge tone={null}>{words.spawned}</Badge>}
  </span>
);

function Children({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  const now = useNow();
  if (tokens.length === 0) return <p className={controls['hint']}>{words.noChildren}</p>;
  return (
    <ul className={styles['rows']}>
      {tokens.map((child) => (
        <li key={child.capability_token_id}>
          <Link
            to="/tokens/$tokenId"
            params={{ tokenId: child.capability_token_id }}
            className={styles['row']}
            data-row=""
          >
            <span className={styles['name']}>
              <Agent id={child.agent_id} /> <Id id={child.capability_token_id} isShort />
            </span>
            <span className={styles['soft']}>
              <TightestBudget token={child} />
            </span>
            <span>
              <TokenBadge state={stateOf(child, now)} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Facts({ token }: { readonly token: Token }): ReactNode {
  const { chain, grant, workspace_id, issuer, created_at, revoked_at } = token;
  const above = chain.slice(0, -1);
  return (
    <>
      {above.length === 0 ? null : (
        <section>
          <h2>{words.chain}</h2>
          <ol>
            {above.map((id) => (
              <li key={id}>
                <Link to="/tokens/$tokenId" params={{ tokenId: id }}>
                  <Id id={id} />
                </Link>
              </li>
            ))}
          </ol>
        </section>
      )}
      <dl className={styles['facts']}>
        <dt>{words.workspace}</dt>
        <dd>{workspace_id === null ? words.anyWorkspace : <Id id={workspace_id} />}</dd>
        <dt>{words.from}</dt>
        <dd>
          <Moment at={grant.not_before === 0 ? created_at : grant.not_before} />
        </dd>
        <dt>{words.until}</dt>
        <dd>
          <Moment at={grant.expires_at} />
        </dd>
        {revoked_at === null ? null : (
          <>
            <dt>{words.revokedAt}</dt>
            <dd>
              <Moment at={revoked_at} />
            </dd>
          </>
        )}
        <dt>{words.issuer}</dt>
        <dd>
          <Id id={issuer} />
        </dd>
        <dt>{words.created}</dt>
        <dd>
          <Moment at={created_at} />
        </dd>
      </dl>
    </>
  );
}
