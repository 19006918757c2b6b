// SPDX-License-Identifier: Apache-2.0
import type { McpServerTool, ToolCategory } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { useReview } from '../../data/tools.ts';
import controls from '../../design/controls.module.css';
import detail from '../../design/detail.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Json } from '../../parts/json.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { differingTexts } from '../../parts/text-lines.ts';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import { CategoryBadge } from './tools.tsx';
import styles from './tools.module.css';

const words = en.tools;
const TONES = { new: 'warn', accepted: 'good', changed: 'warn', gone: null, refused: 'bad' } as const;
const SPACES = 2;

interface ToolGiven {
  readonly tool: McpServerTool;
  readonly mayReview: boolean;
}

/** A tool of a server: what it is pinned to, what its server offers, and the review. */
export function ServerTool({ tool, mayReview }: ToolGiven): ReactNode {
  return (
    <article className={styles['tool']} aria-label={visibleText(tool.remote_name)}>
      <header className={styles['toolHeading']}>
        <h3>
          <Shown text={tool.remote_name} isCode />
        </h3>
        <Badge tone={TONES[tool.state]}>{words.states[tool.state]}</Badge>
        {tool.category === null ? null : <CategoryBadge category={tool.category} />}
        <ToolLink tool={tool} />
        {mayReview && tool.seen !== null ? <Review tool={tool} /> : <span />}
      </header>
      <p className={controls['hint']}>{words.says[tool.state]}</p>
      {tool.problems.length === 0 ? null : <Problems problems={tool.problems} />}
      <Definitions tool={tool} />
    </article>
  );
}

/** An accepted tool is one of the tenant's, and has its page. */
const ToolLink = ({ tool }: { readonly tool: McpServerTool }): ReactNode =>
  tool.state === 'accepted' ? (
    <Link to="/tools/$toolId" params={{ toolId: tool.tool_id }}>
      <Shown text={tool.tool_id} isCode />
    </Link>
  ) : (
    <span className={controls['hint']}>
      <Shown text={tool.tool_id} isCode />
    </span>
  );

const Problems = ({ problems }: Pick<McpServerTool, 'problems'>): ReactNode => (
  <div className={`${controls['note']} ${controls['bad']}`}>
    <strong>{words.problems}</strong>
    <ul>
      {problems.map(({ pointer, message, help }, at) => (
        <li key={at}>
          <Shown text={pointer} isCode /> <Shown text={`${message} ${help}`.trim()} />
        </li>
      ))}
    </ul>
  </div>
);

function Definitions({ tool: { remote_name: name, seen, accepted } }: { readonly tool: McpServerTool }): ReactNode {
  const isOther = seen !== null && accepted !== null && seen.digest !== accepted.digest;
  const difference = useMemo(
    () =>
      isOther
        ? [differingTexts(words.definitionOf(name), linesOf(accepted.definition), linesOf(seen.definition))]
        : null,
    [isOther, name, accepted, seen],
  );
  const shown = seen ?? accepted;
  if (difference !== null)
    return (
      <section>
        <h4>{words.difference}</h4>
        <Diff files={difference} total={1} count={words.parts} />
        <p className={controls['hint']}>{words.hintsNote}</p>
      </section>
    );
  return shown === null ? null : (
    <details>
      <summary>{seen === null || accepted !== null ? words.pinned : words.offered}</summary>
      <Json value={shown.definition} />
      <p className={controls['hint']}>{words.hintsNote}</p>
    </details>
  );
}

/** JSON with its names in order, so that only what differs is shown as such. Line breaks of texts are shown, too. */
const linesOf = (definition: unknown): string =>
  JSON.stringify(sorted(definition), null, SPACES).replaceAll('\\n', '\\n\n');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

function Review({ tool }: { readonly tool: McpServerTool }): ReactNode {
  // The tool as it was when the dialog was opened: a review is of what was seen.
  const [asked, setAsked] = useState<{ readonly what: 'accept' | 'refuse'; readonly of: McpServerTool } | null>(null);
  const close = (): void => setAsked(null);
  return (
    <div className={detail['badges']}>
      <button
        type="button"
        className={`${controls['button']} ${tool.state === 'accepted' ? '' : controls['main']}`}
        disabled={tool.state === 'accepted' || tool.problems.length > 0}
        onClick={() => setAsked({ what: 'accept', of: tool })}
      >
        {words.accept.open}
      </button>
      <button
        type="button"
        className={`${controls['button']} ${controls['danger']}`}
        disabled={tool.state === 'refused'}
        onClick={() => setAsked({ what: 'refuse', of: tool })}
      >
        {words.refuse.open}
      </button>
      {asked === null ? null : asked.what === 'accept' ? (
        <AcceptDialog tool={asked.of} close={close} />
      ) : (
        <RefuseDialog tool={asked.of} close={close} />
      )}
    </div>
  );
}

interface DialogGiven {
  readonly tool: McpServerTool;
  readonly close: () => void;
}

function AcceptDialog({ tool, close }: DialogGiven): ReactNode {
  const [category, setCategory] = useState<ToolCategory | null>(null);
  const { accept } = useReview(tool);
  return (
    <ConfirmDialog
      title={visibleText(words.accept.title(tool.remote_name))}
      action={words.accept.action}
      run={async () => await accept(category)}
      close={close}
    >
      <p>{words.accept.says}</p>
      <Digest tool={tool} />
      <label className={controls['field']}>
        <span className={controls['label']}>{words.category}</span>
        <select
          className={controls['select']}
          value={category ?? ''}
          onChange={({ target }) => setCategory(target.value === '' ? null : (target.value as ToolCategory))}
        >
          <option value="">{words.accept.keep(words.categories[tool.category_then])}</option>
          {Object.entries(words.categories).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <span className={controls['hint']}>
          {words.suggested} {words.categories[tool.suggested]}. {words.hintsNote}
        </span>
      </label>
    </ConfirmDialog>
  );
}

function RefuseDialog({ tool, close }: DialogGiven): ReactNode {
  const { refuse } = useReview(tool);
  return (
    <ConfirmDialog
      title={visibleText(words.refuse.title(tool.remote_name))}
      action={words.refuse.action}
      isDangerous
      run={refuse}
      close={close}
    >
      <p>{words.refuse.says}</p>
      <Digest tool={tool} />
    </ConfirmDialog>
  );
}

const Digest = ({ tool: { seen } }: { readonly tool: McpServerTool }): ReactNode =>
  seen === null ? null : (
    <p className={controls['hint']}>
      {words.digest} <Id id={seen.digest} />
    </p>
  );
