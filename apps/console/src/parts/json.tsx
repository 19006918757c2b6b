// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import styles from './json.module.css';
import { Shown } from './shown.tsx';

/** Beyond it a value is shown as one text: that many elements cost more than they help. */
const VALUES_MAX = 2_000;
const SPACES = 2;

/** A value as JSON, with its texts as they are: line breaks are shown as line breaks. */
export function Json({ value }: { readonly value: unknown }): ReactNode {
  const isMany = countOf(value, VALUES_MAX) > VALUES_MAX;
  return (
    <div className={styles['json']} tabIndex={0} role="group">
      {isMany ? <Shown text={JSON.stringify(value, null, SPACES)} /> : <Value value={value} />}
    </div>
  );
}

/** How many values there are, counted no further than one beyond `max`. */
function countOf(value: unknown, max: number): number {
  let count = 0;
  const open = [value];
  while (open.length > 0 && count <= max) {
    const one = open.pop();
    count += 1;
    if (typeof one === 'object' && one !== null) open.push(...Object.values(one).slice(0, max + 1));
  }
  return count;
}

function Value({ value }: { readonly value: unknown }): ReactNode {
  if (typeof value === 'string')
    return (
      <span className={styles['string']}>
        <Shown text={value} />
      </span>
    );
  if (typeof value !== 'object' || value === null) return <span className={styles['word']}>{String(value)}</span>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className={styles['word']}>{Array.isArray(value) ? '[ ]' : '{ }'}</span>;
  return (
    <dl className={styles['members']}>
      {entries.map(([name, member]) => (
        <div key={name}>
          <dt>
            <Shown text={name} />
          </dt>
          <dd>
            <Value value={member} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
