// SPDX-License-Identifier: Apache-2.0
import type { Tool } from '@writ/client/web';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTool } from '../../data/tools.ts';
import controls from '../../design/controls.module.css';
import styles from '../../design/detail.module.css';
import { Json } from '../../parts/json.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { CategoryBadge } from './tools.tsx';
import own from './tools.module.css';

/** The page of one tool: its definition as models and policies have it. */
export function OneTool(): ReactNode {
  const { toolId } = useParams({ from: '/tools/$toolId' });
  const { data, error, isPending, refetch } = useTool(toolId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page tool={data} />;
}

function Page({ tool }: { readonly tool: Tool }): ReactNode {
  const source = tool.function ?? tool.http ?? tool.mcp ?? tool.cli ?? null;
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/tools" search={{}} className={controls['hint']}>
          {en.tools.back}
        </Link>
        <h1 id="page-title">
          <Shown text={tool.tool_id} isCode />
        </h1>
        <CategoryBadge category={tool.category} />
        <Badge tone={null}>{en.tools.classes[tool.class]}</Badge>
        {tool.mcp === undefined ? null : (
          <Link to="/mcp-servers/$server" params={{ server: tool.mcp.server }} search={{}}>
            <Shown text={tool.mcp.server} />
          </Link>
        )}
      </header>
      <div className={styles['body']}>
        <div className={styles['main']}>
          <section>
            <h2>{en.tools.description}</h2>
            <p className={own['kept']}>
              <Shown text={tool.description} />
            </p>
          </section>
          <Schema title={en.tools.parameters} text={en.tools.parametersText} schema={tool.parameters} />
          <Schema title={en.tools.result} text={en.tools.resultText} schema={tool.result} />
          {source === null ? null : (
            <section>
              <h2>{en.tools.definition}</h2>
              <Json value={source} />
            </section>
          )}
        </div>
        <aside className={styles['side']}>
          <Facts tool={tool} />
        </aside>
      </div>
    </article>
  );
}

interface SchemaGiven {
  readonly title: string;
  readonly text: string;
  readonly schema: Tool['parameters'];
}

const Schema = ({ title, text, schema }: SchemaGiven): ReactNode => (
  <section>
    <h2>{title}</h2>
    <p className={controls['hint']}>{text}</p>
    <Json value={schema} />
  </section>
);

const Facts = ({ tool }: { readonly tool: Tool }): ReactNode => (
  <dl className={styles['facts']}>
    <dt>{en.tools.mutating}</dt>
    <dd>{tool.mutating ? en.tools.yes : en.tools.no}</dd>
    <dt>{en.tools.version}</dt>
    <dd>{tool.version}</dd>
    <dt>{en.tools.digest}</dt>
    <dd>
      <Id id={tool.definition_digest} />
    </dd>
    {Object.entries(tool.limits).map(([name, limit]) => (
      <div key={name}>
        <dt>
          {en.tools.limits}: <Shown text={name} isCode />
        </dt>
        <dd>{limit.toLocaleString('en')}</dd>
      </div>
    ))}
  </dl>
);
