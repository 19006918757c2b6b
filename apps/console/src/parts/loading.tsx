// SPDX-License-Identifier: Apache-2.0
import { ConnectionError, ProblemError } from '@writ/client/web';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';
import { Shown } from './shown.tsx';

/** The outline of what is being loaded. */
export const Skeleton = ({ lines }: { readonly lines: number }): ReactNode => (
  <div role="status" aria-label={en.live.connecting} style={{ display: 'grid', gap: '0.875rem', padding: '1rem' }}>
    {Array.from({ length: lines }, (_, at) => (
      <div key={at} className={controls['skeleton']} style={{ width: `${92 - ((at * 17) % 40)}%` }} />
    ))}
  </div>
);

export const Empty = (given: { readonly title: string; readonly children?: ReactNode }): ReactNode => (
  <div className={controls['empty']}>
    <h2>{given.title}</h2>
    {given.children}
  </div>
);

/** What an error says to people: the server's words where it has some. */
export function errorText(error: unknown): string {
  if (error instanceof ProblemError) return error.status === 404 ? en.problem.notFound : error.message;
  return error instanceof ConnectionError
    ? en.problem.connection
    : String(error instanceof Error ? error.message : error);
}

export const Failed = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }): ReactNode => (
  <div className={controls['empty']} role="alert">
    <h2>{en.problem.title}</h2>
    <p>
      <Shown text={errorText(error)} />
    </p>
    {retry === undefined ? null : (
      <Button className={controls['button'] ?? ''} onPress={retry}>
        {en.problem.retry}
      </Button>
    )}
  </div>
);
