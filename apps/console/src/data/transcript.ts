// SPDX-License-Identifier: Apache-2.0
// A transcript as lines, and what a stream adds to it. INVARIANT (each event once): events are known by their numbers,
// so what is both read and streamed is shown once and in order. Streamed pieces of text count for nothing as soon as
// the stored reply, which contains them, is there.
import type { Download, ModelTurnCall, Run, RunEvent, ServerEvent, Session } from '@writ/client/web';

export interface RunTranscript {
  readonly run: Run;
  readonly input: string;
  readonly events: readonly RunEvent[];
}
export interface SessionTranscript {
  readonly session: Session;
  /** oldest first */
  readonly runs: readonly RunTranscript[];
  /** whether its last line says that it is complete */
  readonly isWhole: boolean;
}

type Line =
  | { readonly line: 'session'; readonly session: Session }
  | { readonly line: 'run'; readonly run: Run; readonly input: string }
  | { readonly line: 'event'; readonly run_id: string; readonly event: RunEvent }
  | { readonly line: 'end' };

/** Whether lines end with the one that says that nothing is missing. */
export const isWhole = (text: string): boolean =>
  text.trimEnd().split('\n').at(-1)?.startsWith('{"line":"end"') === true;

/** The lines of a transcript. A last line that isn't complete is left out. @throws Error where it has no session */
export function parseTranscript(text: string): SessionTranscript {
  const runs: { run: Run; input: string; events: RunEvent[] }[] = [];
  let [session, whole]: [Session | null, boolean] = [null, false];
  const lines = text.split('\n');
  for (const [at, one] of lines.entries()) {
    if (one === '' || at === lines.length - 1) continue;
    const line = JSON.parse(one) as Line;
    if (line.line === 'session') session = line.session;
    else if (line.line === 'run') runs.push({ run: line.run, input: line.input, events: [] });
    else if (line.line === 'event') runs.at(-1)?.events.push(line.event);
    else if (line.line === 'end') whole = true;
  }
  if (session === null) throw new Error('the transcript has no session');
  return { session, runs, isWhole: whole };
}

/** The beginning of a download as text: no more than some bytes beyond `max`. */
export async function readText(download: Download, max: number): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of download) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes > max) return text;
  }
  return text + decoder.decode();
}

/** What a stream of a run has brought so far. */
export interface LiveRun {
  /** stored events, in order */
  readonly events: readonly RunEvent[];
  /** of the reply that is being written */
  readonly text: string;
  readonly asked: readonly Pick<ModelTurnCall, 'id' | 'tool_id'>[];
  /** operations of calls, by round and index */
  readonly started: ReadonlyMap<string, string>;
  /** how often the model failed to write this reply */
  readonly failures: number;
}
export const NOTHING_LIVE: LiveRun = { events: [], text: '', asked: [], started: new Map(), failures: 0 };

/** The place of a call in a run. */
export const placeOf = (round: number, index: number): string => `${round}/${index}`;

/** What is there after one more event of the stream. Unknown events change nothing. */
export function withStreamed(
  live: LiveRun,
  { event, data, id }: Omit<ServerEvent, 'id'> & { id?: string | null },
): LiveRun {
  if (id !== null && id !== undefined) return withStored(live, data as RunEvent);
  const given = data as Readonly<Record<string, unknown>>;
  switch (event) {
    case 'text':
      return { ...live, text: live.text + String(given['text']), failures: 0 };
    case 'asked':
      return { ...live, asked: [...live.asked, given['call'] as ModelTurnCall] };
    case 'started': {
      const place = placeOf(Number(given['round']), Number(given['index']));
      return { ...live, started: new Map([...live.started, [place, String(given['operation_id'])]]) };
    }
    case 'retry':
      return { ...live, text: '', asked: [], failures: Number(given['failures']) };
    default:
      return live;
  }
}

function withStored(live: LiveRun, event: RunEvent): LiveRun {
  const isKnown = event.seq <= (live.events.at(-1)?.seq ?? 0);
  return { ...live, text: '', asked: [], failures: 0, events: isKnown ? live.events : [...live.events, event] };
}

/** Events that were read, with those that were streamed after them. */
export function joined(read: readonly RunEvent[], live: LiveRun): readonly RunEvent[] {
  const last = read.at(-1)?.seq ?? 0;
  const added = live.events.filter(({ seq }) => seq > last);
  return added.length === 0 ? read : [...read, ...added];
}
