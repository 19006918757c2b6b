// SPDX-License-Identifier: Apache-2.0
import type { McpServer } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMcpServers } from '../../data/tools.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { useRowFocus } from '../../parts/row-focus.ts';
import { Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';

const words = en.tools.server;

/** The MCP servers of the tenant. */
export function McpServers(): ReactNode {
  useRowFocus();
  const list = useMcpServers();
  const servers = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/tools" search={{}} className={controls['hint']}>
          {en.tools.back}
        </Link>
        <h1 id="page-title">{en.tools.servers}</h1>
      </header>
      <div className={styles['body']}>
        <div className={styles['main']}>
          {list.isPending ? (
            <Skeleton lines={8} />
          ) : list.isError && servers.length === 0 ? (
            <Failed error={list.error} retry={() => void list.refetch()} />
          ) : servers.length === 0 ? (
            <Empty title={words.none}>
              <p>{words.noneText}</p>
            </Empty>
          ) : (
            <ul className={styles['rows']}>
              {servers.map((server) => (
                <li key={server.resource_id}>
                  <Row server={server} />
                </li>
              ))}
            </ul>
          )}
          {list.hasNextPage ? (
            <button type="button" className={controls['button']} onClick={() => void list.fetchNextPage()}>
              {words.more}
            </button>
          ) : null}
        </div>
      </div>
    </section>
  );
}

/** Tools of which somebody has to look at a definition. */
const waitingOf = ({ tools }: McpServer): number => tools.new + tools.changed;

const Row = ({ server }: { readonly server: McpServer }): ReactNode => (
  <Link to="/mcp-servers/$server" params={{ server: server.name }} search={{}} className={styles['row']} data-row="">
    <span className={styles['name']}>
      <Shown text={server.name} />
    </span>
    <span className={styles['soft']}>
      <Shown text={server.url ?? server.command?.join(' ') ?? ''} isCode />
    </span>
    <span className={styles['badges']}>
      {server.problem === null ? null : <Badge tone="bad">{words.failing}</Badge>}
      {waitingOf(server) === 0 ? null : <Badge tone="warn">{words.waiting(waitingOf(server))}</Badge>}
      <Badge tone="good">{words.accepted(server.tools.accepted)}</Badge>
    </span>
    <span className={styles['soft']}>{server.checked_at === null ? words.never : <Span at={server.checked_at} />}</span>
  </Link>
);
