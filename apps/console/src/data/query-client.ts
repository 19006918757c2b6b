// SPDX-License-Identifier: Apache-2.0
import { ConnectionError, ProblemError } from '@writ/client/web';
import { QueryClient } from '@tanstack/react-query';

/** How long an answer is taken as new, in milliseconds: events tell what changed before. */
const FRESH_MS = 30_000;
const RETRIES = 2;

/** What the server refused is refused again; only what may pass is asked again. */
const mayPass = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ProblemError && (error.status === 429 || error.status >= 500));

/** What was read of the API. It is forgotten with the page. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: FRESH_MS, retry: (failures, error) => failures < RETRIES && mayPass(error) },
  },
});
