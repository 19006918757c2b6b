// SPDX-License-Identifier: Apache-2.0
import type { McpServer } from '@writ/client/web';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import { useMcpServer, useMcpServerTools, useRefreshServer, type McpToolState } from '../../data/tools.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { errorText, Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Moment, Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { ServerTool } from './server-tool.tsx';
import { readServerSearch } from './tools-search.ts';

const words = en.tools.server;

/** The page of one MCP server: what it lists, and what was accepted of it. */
export function OneServer(): ReactNode {
  const { server } = useParams({ from: '/mcp-servers/$server' });
  const { data, error, isPending, refetch } = useMcpServer(server);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page key={server} server={data} />;
}

function Page({ server }: { readonly server: McpServer }): ReactNode {
  const { me } = useSession();
  const mayReview = me.role === null || me.role === 'admin';
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/mcp-servers" search={{}} className={controls['hint']}>
          {en.tools.backToServers}
        </Link>
        <h1 id="page-title">
          <Shown text={server.name} />
        </h1>
        {server.problem === null ? null : <Badge tone="bad">{words.failing}</Badge>}
        <Refresh name={server.name} isAllowed={mayReview} />
      </header>
      <div className={styles['body']}>
        <div className={styles['main']}>
          {mayReview || me.role === null ? null : (
            <p className={controls['note']}>{en.tools.onlyAdmin(en.roles[me.role])}</p>
          )}
          {server.problem === null ? null : (
            <p className={`${controls['note']} ${controls['bad']}`}>
              <Shown text={server.problem.message} />
            </p>
          )}
          <Listed server={server} mayReview={mayReview} />
          <Skipped server={server} />
        </div>
        <aside className={styles['side']}>
          <Facts server={server} />
        </aside>
      </div>
    </article>
  );
}

function Refresh({ name, isAllowed }: { readonly name: string; readonly isAllowed: boolean }): ReactNode {
  const refresh = useRefreshServer(name);
  return (
    <div className={styles['actions']} aria-live="polite">
      {refresh.isError ? (
        <span role="alert">
          <Shown text={errorText(refresh.error)} />
        </span>
      ) : refresh.isSuccess ? (
        <span className={controls['hint']}>{words.refreshing}</span>
      ) : null}
      <button
        type="button"
        className={controls['button']}
        disabled={!isAllowed || refresh.isPending}
        onClick={() => refresh.mutate()}
      >
        {words.refresh}
      </button>
    </div>
  );
}

function Listed({ server, mayReview }: { readonly server: McpServer; readonly mayReview: boolean }): ReactNode {
  const { state = null } = useSearch({ from: '/mcp-servers/$server' });
  const list = useMcpServerTools(server.name, state, server.checked_at);
  const tools = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section>
      <div className={styles['badges']}>
        <h2>{words.tools}</h2>
        <StateFilter state={state} />
      </div>
      {list.isPending ? (
        <Skeleton lines={6} />
      ) : list.isError && tools.length === 0 ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : tools.length === 0 ? (
        <p className={controls['hint']}>{state === null ? words.noTools : words.noToolsInState}</p>
      ) : (
        tools.map((tool) => <ServerTool key={tool.remote_name} tool={tool} mayReview={mayReview} />)
      )}
      {list.hasNextPage ? (
        <button type="button" className={controls['button']} onClick={() => void list.fetchNextPage()}>
          {words.more}
        </button>
      ) : null}
    </section>
  );
}

function StateFilter({ state }: { readonly state: McpToolState | null }): ReactNode {
  const navigate = useNavigate({ from: '/mcp-servers/$server' });
  return (
    <label className={controls['inline']}>
      {words.state}
      <select
        className={controls['select']}
        value={state ?? ''}
        onChange={({ target }) => void navigate({ search: readServerSearch({ state: target.value }), replace: true })}
      >
        <option value="">{words.anyState}</option>
        {Object.entries(en.tools.states).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

const Skipped = ({ server: { skipped } }: { readonly server: McpServer }): ReactNode =>
  skipped.length === 0 ? null : (
    <section>
      <h2>{words.skipped}</h2>
      <ul className={styles['rows']}>
        {skipped.map(({ name, problem }, at) => (
          <li key={at} className={styles['row']}>
            <Shown text={name} isCode />
            <span className={styles['soft']}>
              <Shown text={problem} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );

function Facts({ server }: { readonly server: McpServer }): ReactNode {
  const { about } = server;
  const facts: readonly (readonly [string, string | null])[] = [
    [words.address, server.url ?? server.command?.join(' ') ?? null],
    [words.transport, server.transport],
    [words.about, about === null ? null : `${about.name} ${about.version}`],
    [words.protocol, about?.protocol ?? null],
  ];
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, text]) =>
        text === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Shown text={text} />
            </dd>
          </div>
        ),
      )}
      <dt>{words.checked}</dt>
      <dd>{server.checked_at === null ? words.never : <Moment at={server.checked_at} />}</dd>
      <dt>{words.due}</dt>
      <dd>
        <Span at={server.due_at} isFuture />
      </dd>
    </dl>
  );
}
