// SPDX-License-Identifier: Apache-2.0
import { Change, Fault, parseMessage } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { decodeText, type Steps } from '@writ/workspace';
import { Type } from 'typebox';

const Changes = Type.Array(Change);

/** The text between two changes. Within a change these characters can't occur. */
const SEPARATOR = '},{"path":"';
/** Characters that are read at once: some hundred changes, in less than a millisecond. */
const PART_CHARS = 16 * 1024;
/** Longer than any change: a path of 4,096 bytes, all of them escapes. */
const CHANGE_CHARS_MAX = 32 * 1024;

/**
 * Reads a list of changes in the format that the API stores, in parts that are cut where a change begins. Each part is
 * a separate list, so the result equals that of the whole text.
 * @throws Fault `request.malformed` for anything else than such a list
 */
export function* readingChanges(bytes: Uint8Array): Steps<Change[]> {
  const text = decodeText(bytes);
  if (text === null || text.length < 2 || !text.startsWith('[') || !text.endsWith(']')) throw invalidList();
  const end = text.length - 1;
  const changes: Change[] = [];
  for (let at = 1; at < end;) {
    const next = text.indexOf(SEPARATOR, at + PART_CHARS);
    const until = next === -1 || next >= end ? end : next + 1;
    if (until - at > PART_CHARS + CHANGE_CHARS_MAX) throw invalidList();
    for (const change of parsePart(text.slice(at, until))) changes.push(change);
    // One comma separates two parts. The last part has none.
    at = until + 1;
    yield;
  }
  return changes;
}

function parsePart(text: string): Change[] {
  let changes: unknown;
  try {
    changes = parseJson(`[${text}]`);
  } catch (error) {
    throw invalidList(error);
  }
  return parseMessage(Changes, changes);
}

const invalidList = (cause?: unknown): Fault =>
  new Fault('request.malformed', 'the list of changes is invalid', { cause });
