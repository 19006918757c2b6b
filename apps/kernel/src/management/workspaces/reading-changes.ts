// SPDX-License-Identifier: Apache-2.0
import { Change, Fault, parseMessage } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { decodeText, type Steps } from '@writ/workspace';
import { Type } from 'typebox';

const Changes = Type.Array(Change);

/** How the text of a change begins after another one: within a change these characters can't stand. */
const BETWEEN = '},{"path":"';
/** Characters that are read at once: some hundred changes, in less than a millisecond. */
const PART_CHARS = 16 * 1024;
/** Longer than any change: a path of 4,096 bytes, all of them escapes. */
const CHANGE_CHARS_MAX = 32 * 1024;

/**
 * Reads a list of changes as the API stores it, in parts that are cut where a change begins. Each part is a list of its
 * own, so what is read is what the whole text says. @throws Fault `request.malformed` for what is no such list
 */
export function* readingChanges(bytes: Uint8Array): Steps<Change[]> {
  const text = decodeText(bytes);
  if (text === null || text.length < 2 || !text.startsWith('[') || !text.endsWith(']')) throw noList();
  const end = text.length - 1;
  const changes: Change[] = [];
  for (let at = 1; at < end;) {
    const next = text.indexOf(BETWEEN, at + PART_CHARS);
    const until = next === -1 || next >= end ? end : next + 1;
    if (until - at > PART_CHARS + CHANGE_CHARS_MAX) throw noList();
    for (const change of parsePart(text.slice(at, until))) changes.push(change);
    // One character, the comma, stands between two parts; behind the last there is none.
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
    throw noList(error);
  }
  return parseMessage(Changes, changes);
}

const noList = (cause?: unknown): Fault => new Fault('request.malformed', 'the list of changes is none', { cause });
