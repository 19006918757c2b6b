// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import type { TenantId } from '@writ/contract';
import { Sessions, type RunRow, type SessionRow } from '../../store/session-rows/sessions.ts';
import { eventView, runView, sessionView } from './run-views.ts';

/** Runs of one read. */
const RUNS = 200;
/** Events of one read: an answer may be tens of kilobytes long. */
const EVENTS = 20;

export interface TranscriptOptions {
  readonly session: SessionRow;
  readonly tenantId: TenantId;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
}

/**
 * A session's transcript as lines of JSON: the session, then each run followed by its events, in order. The last line
 * has their numbers, so that a reader can recognize a truncated transcript. INVARIANT (constant memory): one page of
 * events is read at a time, and the next only after the reader has consumed it. INVARIANT (key): nothing is sent to a
 * key that is no longer valid.
 */
export function transcriptLines(sessions: Sessions, options: TranscriptOptions): Readable {
  return Readable.from(lines(sessions, options), { objectMode: false });
}

const lineOf = (line: 'session' | 'run' | 'event' | 'end', rest: object): string =>
  `${JSON.stringify({ line, ...rest })}\n`;

async function* lines(sessions: Sessions, { session, tenantId, verifyKey }: TranscriptOptions): AsyncGenerator<string> {
  yield lineOf('session', { v: 1, session: sessionView(session) });
  const runs = await allRuns(sessions, tenantId, session.session_id);
  let events = 0;
  for (const run of runs) {
    await verifyKey();
    const input = await sessions.input(tenantId, run.run_id);
    // The session was deleted meanwhile.
    if (input === null) throw new Error('the session was deleted while its transcript was read');
    yield lineOf('run', { run: runView(run), input });
    for (let after = 0; ;) {
      const page = await sessions.events(tenantId, run.run_id, after, EVENTS);
      if (page.length > 0) await verifyKey();
      for (const row of page) yield lineOf('event', { run_id: run.run_id, event: eventView(row) });
      events += page.length;
      if (page.length < EVENTS) break;
      after = page.at(-1)?.seq ?? after;
    }
  }
  yield lineOf('end', { runs: runs.length, events });
}

/** All runs, oldest first, without their inputs; each takes some hundred bytes. */
async function allRuns(sessions: Sessions, tenantId: TenantId, sessionId: string): Promise<RunRow[]> {
  const runs: RunRow[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Awaited<ReturnType<Sessions['listRuns']>> = await sessions.listRuns(tenantId, sessionId, {
      cursor,
      limit: RUNS,
    });
    runs.push(...page.items);
    if (page.next_cursor === null) return runs.reverse();
    cursor = page.next_cursor;
  }
}
