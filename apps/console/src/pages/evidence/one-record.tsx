// SPDX-License-Identifier: Apache-2.0
import type { RecordEntry } from '@writ/client/web';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useRecord, useVerdict } from '../../data/records.ts';
import controls from '../../design/controls.module.css';
import { DownloadButton } from '../../parts/download-button.tsx';
import { Json } from '../../parts/json.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { NotVerified, Verified } from '../../parts/receipt-verdict.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './evidence.module.css';
import { kindOf } from './records.tsx';

/** The page of one record: what was signed, and whether its receipt proves it. */
export function OneRecord(): ReactNode {
  const { leafIndex } = useParams({ from: '/evidence/records/$leafIndex' });
  return /^(0|[1-9]\d{0,14})$/.test(leafIndex) ? (
    <Found leafIndex={Number(leafIndex)} />
  ) : (
    <Empty title={en.problem.noPage}>
      <p>{en.evidence.record.notANumber}</p>
    </Empty>
  );
}

function Found({ leafIndex }: { readonly leafIndex: number }): ReactNode {
  const { data, error, isPending, refetch } = useRecord(leafIndex);
  const last = data === undefined ? leafIndex : data.tree_size - 1;
  useNeighbours(leafIndex, last);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page key={leafIndex} record={data} />;
}

function useNeighbours(leafIndex: number, last: number): void {
  const navigate = useNavigate();
  const handlers = useMemo(() => {
    const go = (leaf: number): void => {
      if (leaf < 0 || leaf > last) return;
      void navigate({ to: '/evidence/records/$leafIndex', params: { leafIndex: String(leaf) }, replace: true });
    };
    const back = (): void => void navigate({ to: '/evidence', search: {} });
    return { j: () => go(leafIndex + 1), k: () => go(leafIndex - 1), u: back };
  }, [navigate, leafIndex, last]);
  useKeys(handlers);
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function Page({ record }: { readonly record: RecordEntry }): ReactNode {
  const content = record.statement['predicate'];
  const signed = (typeof content === 'object' && content !== null ? content : {}) as Readonly<Record<string, unknown>>;
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/evidence" search={{}} className={controls['hint']}>
          {en.evidence.record.back}
        </Link>
        <h1 id="page-title">{en.evidence.record.title(record.leaf_index)}</h1>
        <Shown text={kindOf({ type: textOf(signed['kind']) ?? '', phase: textOf(signed['phase']) })} />
        <span className={controls['hint']}>{en.evidence.record.keys}</span>
      </header>
      <div className={styles['body']}>
        <div className={styles['main']}>
          <Receipt record={record} />
          <section>
            <h2>{en.evidence.record.content}</h2>
            <Json value={content} />
          </section>
        </div>
        <aside className={styles['side']}>
          <Facts record={record} signed={signed} />
        </aside>
      </div>
    </article>
  );
}

/** The verdict on the receipt. It is made when the page opens: what is shown here claims to be proved. */
function Receipt({ record }: { readonly record: RecordEntry }): ReactNode {
  const verdict = useVerdict(record);
  return (
    <section className={styles['receipt']} aria-live="polite">
      <h2>{en.evidence.record.receipt}</h2>
      {verdict.isPending ? (
        <p role="status">{en.operation.verifying}</p>
      ) : verdict.isError ? (
        <NotVerified error={verdict.error} />
      ) : (
        <>
          <Verified receipt={verdict.data} />
          <p className={controls['hint']}>{en.operation.keysNote}</p>
        </>
      )}
      <DownloadButton
        label={en.evidence.record.download}
        name={`record-${String(record.leaf_index)}.receipt.json`}
        open={(api, options) => api.records.getReceipt(record.leaf_index, options)}
      />
    </section>
  );
}

interface FactsGiven {
  readonly record: RecordEntry;
  readonly signed: Readonly<Record<string, unknown>>;
}

function Facts({ record, signed }: FactsGiven): ReactNode {
  const operationId = textOf(signed['operation_id']);
  const workspaceId = textOf(signed['workspace_id']);
  const recordId = textOf(signed['record_id']);
  const at = signed['recorded_at'];
  const facts: readonly (readonly [string, ReactNode])[] = [
    [en.evidence.record.leaf, en.evidence.record.place(record.leaf_index, record.tree_size)],
    [en.evidence.record.at, typeof at === 'number' ? <Moment at={at} /> : null],
    [en.operation.record, recordId === null ? null : <Id id={recordId} />],
    [
      en.evidence.record.operation,
      operationId === null ? null : (
        <Link to="/activity/$operationId" params={{ operationId }}>
          <Id id={operationId} />
        </Link>
      ),
    ],
    [
      en.call.workspace,
      workspaceId === null ? null : (
        <Link to="/workspaces/$workspaceId" params={{ workspaceId }} search={{}}>
          <Id id={workspaceId} />
        </Link>
      ),
    ],
  ];
  return (
    <dl className={styles['facts']} aria-label={en.operation.facts}>
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
