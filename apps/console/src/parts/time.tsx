// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore, type ReactNode } from 'react';
import { en } from '../words/en.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** How often spans of time are written anew, in milliseconds. */
const TICK_MS = 5 * SECOND;

const watchers = new Set<() => void>();
let current = Date.now();
let timer: number | null = null;

/** One clock for all: hundreds of rows change at once, and not each by a timer of its own. */
function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= window.setInterval(() => {
    current = Date.now();
    for (const each of watchers) each();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0 || timer === null) return;
    window.clearInterval(timer);
    timer = null;
  };
}

/** The time now, in milliseconds since the epoch, to some seconds. */
export const useNow = (): number => useSyncExternalStore(watch, () => current);

/** A span in one unit, such as `5 min`. */
export function spanOf(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

const ABSOLUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const ZONE = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

/** A moment in the time zone of the reader, named, for titles and facts. */
export function momentOf(at: number): string {
  const zone = ZONE.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${ABSOLUTE.format(at)} ${zone}`.trim();
}

/** How long ago something was, or how soon it will be. The title has the moment. */
export function Span({ at, isFuture = false }: { readonly at: number; readonly isFuture?: boolean }): ReactNode {
  const now = useNow();
  const left = isFuture ? at - now : now - at;
  const text = isFuture ? (left <= 0 ? en.time.expired : en.time.in(spanOf(left))) : en.time.ago(spanOf(left));
  return (
    <time dateTime={new Date(at).toISOString()} title={momentOf(at)}>
      {text}
    </time>
  );
}

/** A moment, as a text of its own. */
export const Moment = ({ at }: { readonly at: number }): ReactNode => (
  <time dateTime={new Date(at).toISOString()}>{momentOf(at)}</time>
);
