// SPDX-License-Identifier: Apache-2.0
import type { RemoteAnswer, RemoteContent } from '@writ/mcp-client';
import { SecretValues, type NamedValue } from '../redaction/redactor.ts';
import { shownJson, withShownNames } from '../redaction/shown-json.ts';

/** The result of a call, within its bound. */
export interface ShownAnswer extends RemoteAnswer {
  /** a text was cut, or a part was left out */
  readonly truncated: boolean;
}

/** What is around the parts of an answer. */
const FRAME_BYTES = 128;
/** A note that stands for a part that was left out. */
const NOTE_BYTES = 256;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const note = (text: string): RemoteContent => ({ type: 'text', text });

/**
 * An answer as its caller sees it: without secret values, and within `bytesMax` bytes of JSON. Texts are cut, and what
 * half of would mean nothing is left out with a note: images, audio and the structured part. A question is kept as it
 * is, since what the server wants back is of use in no other form. Callers MUST have looked for values in it.
 * INVARIANT (redacted before cut): nobody finds a value that was cut in two.
 */
export function shownAnswer(answer: RemoteAnswer, named: readonly NamedValue[], bytesMax: number): ShownAnswer {
  const values = new SecretValues(named);
  const kept = answer.content.map((part) => withoutLongBytes(part, bytesMax, values));
  const { asks, ...said } = answer;
  const structuredPart = withShownNames(values, said.structured);
  const shown = shownJson(values, { ...said, structured: structuredPart, content: kept }) as RemoteAnswer;
  const room = new Room(bytesMax - FRAME_BYTES);
  const { structured } = shown;
  const isStructuredKept = structured === null || room.take(bytesOf(structured));
  const content = shown.content.flatMap((part) => room.fit(part));
  if (!isStructuredKept) content.unshift(note(`[the structured result of ${bytesOf(structured)} bytes was left out]`));
  return {
    content,
    structured: isStructuredKept ? structured : null,
    is_error: shown.is_error,
    ...(asks === undefined ? {} : { asks }),
    truncated: !isStructuredKept || room.isFull || kept.some((part, at) => part !== answer.content[at]),
  };
}

/** The part, or a note where its bytes alone are more than there is room for. */
function withoutLongBytes(part: RemoteContent, bytesMax: number, values: SecretValues): RemoteContent {
  const bytes = binaryOf(part);
  return bytes !== null && bytes.length > bytesMax ? leftOut(part, values) : part;
}

function binaryOf(part: RemoteContent): string | null {
  if (part.type === 'image' || part.type === 'audio') return part.data;
  return part.type === 'resource' ? (part.resource.blob ?? null) : null;
}

/** @param values to be removed from what is cut here; null where the part has none any more */
function leftOut(part: RemoteContent, values: SecretValues | null): RemoteContent {
  const type = part.type === 'resource' ? part.resource.mimeType : part.type === 'text' ? undefined : part.mimeType;
  const whatever = (values?.redactText(type ?? part.type) ?? type ?? part.type).slice(0, 64);
  return note(`[${part.type} (${whatever}) of ${bytesOf(part)} bytes was left out]`);
}

/** What is left of the bound, in bytes of JSON. */
class Room {
  #left: number;
  /** whether something did not fit */
  isFull = false;

  constructor(left: number) {
    this.#left = left;
  }

  take(bytes: number): boolean {
    // A note must fit in any case.
    if (bytes > this.#left - NOTE_BYTES) return false;
    this.#left -= bytes + 1;
    return true;
  }

  /** The part as far as there is room for it; none once a note or a cut text has told that there is no more. */
  fit(part: RemoteContent): readonly RemoteContent[] {
    if (this.take(bytesOf(part))) return [part];
    if (this.#left <= NOTE_BYTES) return this.#dropped();
    this.isFull = true;
    const cut = part.type === 'text' ? cutText(part.text, this.#left - NOTE_BYTES) : null;
    const shown = cut === null ? leftOut(part, null) : note(cut);
    this.#left -= bytesOf(shown) + 1;
    return [shown];
  }

  #dropped(): readonly RemoteContent[] {
    this.isFull = true;
    return [];
  }
}

/** The beginning of a text, in so many bytes of JSON. */
function cutText(text: string, bytesMax: number): string {
  let chars = Math.min(text.length, bytesMax);
  for (;;) {
    const cut = `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')}…`;
    const bytes = bytesOf(cut);
    if (bytes <= bytesMax || chars === 0) return cut;
    chars = Math.min(chars - 1, Math.floor((chars * bytesMax) / bytes));
  }
}
