// SPDX-License-Identifier: Apache-2.0
import type { Token } from '@writ/client/web';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { memo, useMemo, type ReactNode } from 'react';
import { useAgentNames } from '../../data/agents.ts';
import { useAllTokens } from '../../data/tokens.ts';
import controls from '../../design/controls.module.css';
import detail from '../../design/detail.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { useRowFocus } from '../../parts/row-focus.ts';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span, useNow } from '../../parts/time.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import { TightestBudget } from './budgets.tsx';
import { stateOf, treeOf, withAncestors, type TokenState } from './token-tree.ts';
import styles from './tokens.module.css';
import { readTokensSearch, type TokensSearch } from './tokens-search.ts';

const TONES = { usable: 'good', revoked: 'bad', expired: null, future: 'warn' } as const;
/** The room of a level of the tree, and the deepest one that gets more. */
const LEVEL_REM = 1.25;
const LEVELS_MAX = 8;

export const TokenBadge = ({ state }: { readonly state: TokenState }): ReactNode => (
  <Badge tone={TONES[state]}>{en.tokens.states[state]}</Badge>
);

/** All tokens as a tree: what was made of a token stands below it. */
export function Tokens(): ReactNode {
  useRowFocus();
  const filter = useSearch({ from: '/tokens' });
  const all = useAllTokens();
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={detail['heading']}>
        <h1 id="page-title">{en.tokens.title}</h1>
        <p className={controls['hint']} aria-live="polite">
          {all.data === undefined ? ' ' : en.tokens.count(all.data.tokens.length, all.data.isAll)}
        </p>
        <Filters filter={filter} />
      </header>
      {all.isPending ? (
        <Skeleton lines={14} />
      ) : all.data === undefined ? (
        <Failed error={all.error} retry={() => void all.refetch()} />
      ) : (
        <Tree tokens={all.data.tokens} filter={filter} />
      )}
    </section>
  );
}

function Tree({ tokens, filter }: { readonly tokens: readonly Token[]; readonly filter: TokensSearch }): ReactNode {
  const now = useNow();
  const rows = useMemo(() => {
    const matches = (token: Token): boolean =>
      (filter.agent_id === undefined || token.agent_id === filter.agent_id) &&
      (filter.ended === true || !['revoked', 'expired'].includes(stateOf(token, now)));
    return treeOf(withAncestors(tokens, matches));
  }, [tokens, filter, now]);
  if (rows.length === 0)
    return (
      <Empty title={tokens.length === 0 ? en.tokens.none : en.tokens.noneFiltered}>
        <p>{tokens.length === 0 ? en.tokens.noneText : ''}</p>
      </Empty>
    );
  return (
    <VirtualRows
      label={en.tokens.title}
      rows={rows}
      keyOf={({ token }) => token.capability_token_id}
      render={({ token, depth }) => <Row token={token} depth={depth} state={stateOf(token, now)} />}
      isLoadingMore={false}
      readMore={null}
    />
  );
}

function Filters({ filter }: { readonly filter: TokensSearch }): ReactNode {
  const navigate = useNavigate({ from: '/tokens' });
  const agents = [...useAgentNames()];
  const change = (part: Readonly<Record<string, unknown>>): void =>
    void navigate({ search: (before: TokensSearch) => readTokensSearch({ ...before, ...part }), replace: true });
  return (
    <div className={detail['actions']}>
      <label className={controls['inline']}>
        {en.tokens.agent}
        <select
          className={controls['select']}
          value={filter.agent_id ?? ''}
          onChange={({ target }) => change({ agent_id: target.value })}
        >
          <option value="">{en.tokens.anyAgent}</option>
          {agents.map(([id, name]) => (
            <option key={id} value={id}>
              {visibleText(name)}
            </option>
          ))}
        </select>
      </label>
      <label className={controls['inline']}>
        <input
          type="checkbox"
          checked={filter.ended === true}
          onChange={({ target }) => change({ ended: target.checked })}
        />
        {en.tokens.ended}
      </label>
    </div>
  );
}

interface RowGiven {
  readonly token: Token;
  readonly depth: number;
  readonly state: TokenState;
}

const Row = memo(({ token, depth, state }: RowGiven): ReactNode => (
  <Link
    to="/tokens/$tokenId"
    params={{ tokenId: token.capability_token_id }}
    className={styles['row']}
    data-row=""
    data-ended={state === 'usable' ? undefined : ''}
  >
    <span className={styles['name']} style={{ paddingLeft: `${Math.min(depth, LEVELS_MAX) * LEVEL_REM}rem` }}>
      {depth === 0 ? null : (
        <span className={styles['branch']} aria-hidden="true">
          └
        </span>
      )}
      <Agent id={token.agent_id} /> <Id id={token.capability_token_id} isShort />
    </span>
    <span className={styles['soft']}>
      <Shown text={token.grant.tools.join(', ')} isCode />
    </span>
    <span className={styles['soft']}>
      <TightestBudget token={token} />
    </span>
    <span>
      <TokenBadge state={state} />
    </span>
    <span className={styles['soft']}>
      <Span at={token.grant.expires_at} isFuture />
    </span>
  </Link>
));
Row.displayName = 'Row';
