// SPDX-License-Identifier: Apache-2.0
import { Navigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRun } from '../../data/sessions.ts';
import { Failed, Skeleton } from '../../parts/loading.tsx';

/** Leads from a run to its place in the conversation of its session. */
export function PlaceOfRun(): ReactNode {
  const { runId } = useParams({ from: '/runs/$runId' });
  const { data, error, isPending, refetch } = useRun(runId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Navigate to="/sessions/$sessionId" params={{ sessionId: data.session_id }} search={{ run: runId }} replace />;
}
