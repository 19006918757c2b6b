// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import type { RecordSearch } from '../../data/records.ts';
import controls from '../../design/controls.module.css';
import { TextFilter } from '../../parts/text-filter.tsx';
import { en } from '../../words/en.ts';
import { localOf, momentOf, readEvidenceSearch } from './evidence-search.ts';
import styles from './evidence.module.css';

type Change = (part: Readonly<Record<string, unknown>>) => void;
/** Filters that are always in view. */
const FIRST = ['text', 'type', 'order'] as const;
const TEXTS = ['tool', 'agent', 'session', 'operation', 'resource'] as const;

/** All filters of the search. The address has them. */
export function RecordFilters({ search }: { readonly search: RecordSearch }): ReactNode {
  const navigate = useNavigate({ from: '/evidence' });
  const change: Change = (part) =>
    void navigate({ search: (before: RecordSearch) => readEvidenceSearch({ ...before, ...part }), replace: true });
  const more = Object.keys(search).filter((name) => !FIRST.some((first) => first === name)).length;
  return (
    <div className={styles['filters']} role="search">
      <div className={styles['filterRow']}>
        <TextFilter label={en.evidence.fields.text} value={search.text ?? ''} change={(text) => change({ text })} />
        <Choice name="type" words={en.evidence.types} search={search} change={change} />
        <Choice name="order" words={en.evidence.orders} search={search} change={change} fallback="newest" />
        {Object.keys(search).length === 0 ? null : (
          <button
            type="button"
            className={`${controls['button']} ${controls['plain']}`}
            onClick={() => void navigate({ search: {} })}
          >
            {en.evidence.clear}
          </button>
        )}
      </div>
      <details open={more > 0}>
        <summary>{en.evidence.more(more)}</summary>
        <div className={styles['moreFilters']}>
          {TEXTS.map((name) => (
            <TextFilter
              key={name}
              label={en.evidence.fields[name]}
              value={search[name] ?? ''}
              change={(text) => change({ [name]: text })}
            />
          ))}
          <Choice name="verdict" words={en.evidence.verdicts} search={search} change={change} />
          <Choice name="outcome" words={en.evidence.outcomes} search={search} change={change} />
          <Score name="risk_min" search={search} change={change} />
          <Score name="risk_max" search={search} change={change} />
          <MomentField name="since" search={search} change={change} />
          <MomentField name="until" search={search} change={change} />
        </div>
      </details>
    </div>
  );
}

interface FieldGiven<Name extends keyof RecordSearch> {
  readonly name: Name;
  readonly search: RecordSearch;
  readonly change: Change;
}

interface ChoiceGiven extends FieldGiven<'type' | 'order' | 'verdict' | 'outcome'> {
  readonly words: Readonly<Record<string, string>>;
  /** what holds where none is chosen; without it there is a choice for any */
  readonly fallback?: string;
}

const Choice = ({ name, words, search, change, fallback }: ChoiceGiven): ReactNode => (
  <label className={controls['inline']}>
    {en.evidence.fields[name]}
    <select
      className={controls['select']}
      value={search[name] ?? fallback ?? ''}
      onChange={({ target }) => change({ [name]: target.value === fallback ? undefined : target.value })}
    >
      {fallback === undefined ? <option value="">{en.evidence.any}</option> : null}
      {Object.entries(words).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  </label>
);

function Score({ name, search, change }: FieldGiven<'risk_min' | 'risk_max'>): ReactNode {
  return (
    <Field
      label={en.evidence.fields[name]}
      value={search[name] === undefined ? '' : String(search[name])}
      apply={(text) => change({ [name]: text === '' ? undefined : Number(text) })}
      type="number"
    />
  );
}

function MomentField({ name, search, change }: FieldGiven<'since' | 'until'>): ReactNode {
  return (
    <Field
      label={en.evidence.fields[name]}
      value={localOf(search[name])}
      apply={(text) => change({ [name]: momentOf(text) })}
      type="datetime-local"
    />
  );
}

interface InputGiven {
  readonly label: string;
  readonly value: string;
  readonly apply: (text: string) => void;
  readonly type: 'number' | 'datetime-local';
}

/** A field that is applied when it is left or confirmed, as `TextFilter` is. */
function Field({ label, value, apply, type }: InputGiven): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply(text);
      }}
    >
      <label className={controls['inline']}>
        {label}
        <input
          className={controls['input']}
          type={type}
          {...(type === 'number' ? { min: 0, max: 1, step: 0.05 } : {})}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={() => (text === value ? undefined : apply(text))}
        />
      </label>
    </form>
  );
}
