// SPDX-License-Identifier: Apache-2.0
import type { Job } from '@writ/client/web';
import type { ReactNode } from 'react';
import { Span, useNow } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';

/** When a job runs next. */
export function NextRun({ job: { due_at, state } }: { readonly job: Job }): ReactNode {
  const now = useNow();
  if (state === 'paused' || due_at === null) return en.jobs.never;
  return due_at <= now ? en.jobs.due : <Span at={due_at} isFuture />;
}
