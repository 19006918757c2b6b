// SPDX-License-Identifier: Apache-2.0
import { memo, type ReactNode } from 'react';
import styles from './cedar-text.module.css';
import { cedarTokens } from './cedar.ts';
import { Shown } from './shown.tsx';

interface TextGiven {
  readonly text: string;
  readonly label: string;
  /** whether lines have their numbers */
  readonly isNumbered?: boolean;
}

/** Rules of Cedar with the colours of the language. */
export const CedarText = memo(({ text, label, isNumbered = false }: TextGiven): ReactNode => (
  <div className={styles['frame']} role="group" aria-label={label} tabIndex={0}>
    <code className={styles['lines']}>
      {text.split('\n').map((line, at) => (
        <span key={at} className={styles['line']}>
          {isNumbered ? <span className={styles['number']}>{at + 1}</span> : null}
          <span className={styles['code']}>
            <Line line={line} />
          </span>
        </span>
      ))}
    </code>
  </div>
));
CedarText.displayName = 'CedarText';

const Line = ({ line }: { readonly line: string }): ReactNode =>
  cedarTokens(line).map(({ kind, text }, at) => (
    <span key={at} className={styles[kind]}>
      <Shown text={text} />
    </span>
  ));
