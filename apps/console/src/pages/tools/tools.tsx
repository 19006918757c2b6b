// SPDX-License-Identifier: Apache-2.0
import type { Tool } from '@writ/client/web';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { memo, useMemo, type ReactNode } from 'react';
import { useTools } from '../../data/tools.ts';
import controls from '../../design/controls.module.css';
import detail from '../../design/detail.module.css';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { useRowFocus } from '../../parts/row-focus.ts';
import { Shown } from '../../parts/shown.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import styles from './tools.module.css';
import { readToolsSearch } from './tools-search.ts';

const TONES = { read: null, write: 'warn', admin: 'bad' } as const;

export const CategoryBadge = ({ category }: Pick<Tool, 'category'>): ReactNode => (
  <Badge tone={TONES[category]}>{en.tools.categories[category]}</Badge>
);

/** All tools that agents may be given. */
export function Tools(): ReactNode {
  useRowFocus();
  const { find = '' } = useSearch({ from: '/tools' });
  const navigate = useNavigate({ from: '/tools' });
  const list = useTools();
  const rows = useMemo(() => matching(list.data ?? [], find.toLowerCase()), [list.data, find]);
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={detail['heading']}>
        <h1 id="page-title">{en.tools.title}</h1>
        <p className={controls['hint']} aria-live="polite">
          {list.data === undefined ? ' ' : en.tools.count(rows.length)}
        </p>
        <Link to="/mcp-servers" search={{}}>
          {en.tools.servers}
        </Link>
        <div className={detail['actions']}>
          <TextFilter
            label={en.tools.find}
            value={find}
            change={(text) => void navigate({ search: readToolsSearch({ find: text }), replace: true })}
          />
        </div>
      </header>
      {list.isPending ? (
        <Skeleton lines={14} />
      ) : list.data === undefined ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : rows.length === 0 ? (
        <Empty title={en.tools.none}>
          <p>{en.tools.noneText}</p>
        </Empty>
      ) : (
        <VirtualRows
          label={en.tools.title}
          rows={rows}
          keyOf={({ tool_id }) => tool_id}
          render={(row) => <Row tool={row} />}
          isLoadingMore={false}
          readMore={null}
        />
      )}
    </section>
  );
}

const matching = (tools: readonly Tool[], text: string): readonly Tool[] =>
  tools.filter(
    ({ tool_id, description }) => tool_id.toLowerCase().includes(text) || description.toLowerCase().includes(text),
  );

const Row = memo(({ tool }: { readonly tool: Tool }): ReactNode => (
  <Link to="/tools/$toolId" params={{ toolId: tool.tool_id }} className={styles['row']} data-row="">
    <span className={styles['name']}>
      <Shown text={tool.tool_id} isCode />
    </span>
    <span className={styles['soft']}>
      <Shown text={tool.description.replaceAll('\n', ' ')} />
    </span>
    <span>
      <CategoryBadge category={tool.category} />
    </span>
    <span className={styles['soft']}>{en.tools.classes[tool.class]}</span>
  </Link>
));
Row.displayName = 'Row';
