// SPDX-License-Identifier: Apache-2.0
import type { Replayed, RunReplay as RunReplayPage, RunReplayItem } from '@writ/client/web';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { memo, useMemo, type ReactNode } from 'react';
import { usePolicyChoices, useReplay } from '../../data/sessions.ts';
import controls from '../../design/controls.module.css';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge, State } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import { readReplaySearch, type ReplaySearch } from './sessions-search.ts';
import styles from './replay.module.css';

/** The calls of a run as they were decided, beside what another policy decides about them. */
export function RunReplay(): ReactNode {
  const { runId } = useParams({ from: '/runs/$runId/replay' });
  const search = useSearch({ from: '/runs/$runId/replay' });
  const replay = useReplay(runId, search.policy ?? null);
  const pages = replay.data?.pages ?? [];
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/runs/$runId" params={{ runId }} className={controls['hint']}>
          {en.replay.back}
        </Link>
        <h1 id="page-title">{en.replay.title}</h1>
        <Id id={runId} isShort />
        <Filters search={search} />
      </header>
      <div className={styles['body']}>
        <p className={controls['hint']}>{en.replay.text}</p>
        {replay.isPending ? (
          <Skeleton lines={10} />
        ) : pages.length === 0 ? (
          <Failed error={replay.error} retry={() => void replay.refetch()} />
        ) : (
          <Comparison pages={pages} isDiffering={search.differing === true} />
        )}
        {replay.hasNextPage ? (
          <button
            type="button"
            className={controls['button']}
            disabled={replay.isFetchingNextPage}
            onClick={() => void replay.fetchNextPage()}
          >
            {en.replay.more}
          </button>
        ) : null}
      </div>
    </article>
  );
}

function Filters({ search }: { readonly search: ReplaySearch }): ReactNode {
  const policies = usePolicyChoices();
  const navigate = useNavigate({ from: '/runs/$runId/replay' });
  const change = (part: { readonly [name in keyof ReplaySearch]: ReplaySearch[name] | undefined }): void =>
    void navigate({ search: (before: ReplaySearch) => readReplaySearch({ ...before, ...part }), replace: true });
  return (
    <div className={styles['filters']}>
      <label className={controls['inline']}>
        {en.replay.policy}
        <select
          className={controls['select']}
          value={search.policy ?? ''}
          onChange={({ target }) => change({ policy: target.value })}
        >
          <option value="">{en.replay.inForce}</option>
          {(policies.data ?? []).map(({ policy_hash, name, version }) => (
            <option key={policy_hash} value={policy_hash}>
              {visibleText(version === null ? name : `${name}@${version}`)}
            </option>
          ))}
        </select>
      </label>
      <label className={controls['inline']}>
        <input
          type="checkbox"
          checked={search.differing === true}
          onChange={({ target }) => change({ differing: target.checked ? true : undefined })}
        />
        {en.replay.onlyDiffering}
      </label>
    </div>
  );
}

interface ComparisonGiven {
  readonly pages: readonly RunReplayPage[];
  readonly isDiffering: boolean;
}

const keyOf = (one: { readonly run_id: string; readonly round: number; readonly index: number }): string =>
  `${one.run_id} ${one.round} ${one.index}`;
const differs = ({ was, would_be }: RunReplayItem): boolean =>
  was !== null && would_be !== null && (was.verdict !== would_be.verdict || was.mode !== would_be.mode);

function Comparison({ pages, isDiffering }: ComparisonGiven): ReactNode {
  const items = useMemo(() => pages.flatMap((page) => page.items), [pages]);
  const shown = isDiffering ? items.filter(differs) : items;
  // A later page knows only its own first difference.
  const parts = pages.find(({ parts_at }) => parts_at !== null)?.parts_at ?? null;
  const sum = (of: 'examined' | 'changed' | 'skipped'): number =>
    pages.reduce((all, { counts }) => all + counts[of], 0);
  const candidate = pages[0]?.candidate;
  if (items.length === 0) return <Empty title={en.replay.none} />;
  return (
    <>
      <p role="status">
        {en.replay.counts(sum('examined'), sum('changed'))}
        {sum('skipped') === 0 ? '' : `, ${en.replay.skipped(sum('skipped'))}`}
      </p>
      {shown.length === 0 ? (
        <Empty title={en.replay.noneDiffering} />
      ) : (
        <div className={styles['scroll']} tabIndex={0} role="region" aria-label={en.replay.title}>
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">{en.approvals.columns.tool}</th>
                <th scope="col">{en.replay.was}</th>
                <th scope="col">
                  <Shown text={en.replay.wouldBe(candidate?.name ?? '')} />
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((item) => (
                <Row
                  key={keyOf(item)}
                  item={item}
                  runId={pages[0]?.run_id ?? ''}
                  isParting={parts !== null && keyOf(parts) === keyOf(item)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

interface RowGiven {
  readonly item: RunReplayItem;
  readonly runId: string;
  readonly isParting: boolean;
}

const Row = memo(({ item, runId, isParting }: RowGiven): ReactNode => {
  const { operation_id: operationId } = item;
  return (
    <>
      {isParting ? (
        <tr className={styles['parting']}>
          <td colSpan={3}>{en.replay.partsHere}</td>
        </tr>
      ) : null}
      <tr data-differs={differs(item) || undefined}>
        <th scope="row">
          {operationId === null ? (
            <Shown text={item.tool_id} isCode />
          ) : (
            <Link to="/activity/$operationId" params={{ operationId }}>
              <Shown text={item.tool_id} isCode />
            </Link>
          )}
          <p className={controls['hint']}>
            {en.replay.round(item.round)}
            {item.run_id === runId ? '' : ` ${en.replay.ofSubAgent}`}
          </p>
          {differs(item) ? <Badge tone="warn">{en.replay.differs}</Badge> : null}
        </th>
        <td>
          <Verdict replayed={item.was} whyNot={item.why_not} />
        </td>
        <td>
          <Verdict replayed={item.would_be} whyNot={item.why_not} />
        </td>
      </tr>
    </>
  );
});
Row.displayName = 'Row';

function Verdict(given: { readonly replayed: Replayed | null; readonly whyNot: string | null }): ReactNode {
  const { replayed, whyNot } = given;
  if (replayed === null)
    return (
      <p className={controls['hint']}>
        <Shown text={whyNot ?? en.replay.unknown} />
      </p>
    );
  return (
    <>
      <State state={replayed.verdict} /> <span className={controls['hint']}>{en.approvals.modes[replayed.mode]}</span>
      {replayed.rule_ids.length === 0 ? null : (
        <p className={styles['rules']}>
          {en.replay.rules}: <Shown text={replayed.rule_ids.join(', ')} isCode />
        </p>
      )}
      <ul className={styles['reasons']}>
        {replayed.reasons.map(({ code, message }) => (
          <li key={`${code} ${message}`}>
            <Shown text={message} />
          </li>
        ))}
      </ul>
    </>
  );
}
