// SPDX-License-Identifier: Apache-2.0
import { paint, momentOf } from '../terminal.ts';
import type { RunEvent } from '../run-schemas.ts';
import { visibleLine } from '../visible.ts';

/** The length of a text in one line. */
const CHARS_MAX = 120;
const clipped = (text: string): string => visibleLine(text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text);

/** A durable event in one line; all of it is attacker-controlled. */
export function lineOf(event: RunEvent): string {
  const { seq, at } = 'seq' in event ? event : { seq: undefined, at: undefined };
  return [
    paint.dim(String(seq ?? '').padStart(4)),
    at === undefined ? '' : momentOf(at),
    paint.bold(event.kind),
    ...fieldsOf(event)
      .filter((word) => word !== '')
      .map(clipped),
  ]
    .filter((word) => word !== '')
    .join(' ');
}

function fieldsOf(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case 'replied':
      return [
        event.turn.text.trim(),
        ...(event.turn.calls.length === 0 ? [] : [`[${event.turn.calls.map(({ tool_id }) => tool_id).join(', ')}]`]),
      ];
    case 'answered':
      return [`${event.round}/${event.index}`, event.answer.standing, event.answer.operation_id ?? ''];
    case 'held':
      return [`${event.round}/${event.index}`, `waits for ${event.held.waits_for}`, event.held.operation_id];
    case 'explained':
      return [event.turn.text.trim()];
    case 'model_failed':
      return [event.fault, event.message];
    case 'ended':
      return [event.stopped];
    default:
      return [];
  }
}
