// SPDX-License-Identifier: Apache-2.0
//
// A search of the open folder. INVARIANT (no expansion): a server may answer a range of numbers in a few bytes (RFC
// 4731), and the client would make a list of sixteen million. What is longer than a mailbox is refused unexpanded.
import type { ImapFlow, SearchObject } from 'imapflow';
import { searchCompiler } from 'imapflow/lib/search-compiler';
import { MailboxError } from './mailbox-error.ts';

/** Matches of one search. They are sorted, to find the newest. */
export const MATCHES_MAX = 200_000;
/** RFC 3501, section 9: the largest number of a message. */
const UID_MAX = 4_294_967_295;

interface Untagged {
  /** of a SEARCH response of numbers alone */
  readonly numbers?: readonly number[];
  readonly attributes?: readonly unknown[];
}

/** The command itself, which the types of the client leave out. */
interface Commands {
  exec(
    command: string,
    attributes: unknown,
    options: { readonly untagged: Readonly<Record<string, (response: Untagged) => Promise<void>>> },
  ): Promise<{ next(): void }>;
}

/**
 * The numbers (UID) of the messages that match, each once, the lowest first.
 *
 * @throws MailboxError `too_large` for more than `MATCHES_MAX`, and errors of the client
 */
export async function searchFolder(client: ImapFlow, criteria: SearchObject): Promise<Uint32Array> {
  const found = new Matches();
  const collect = async (add: () => void): Promise<void> => {
    if (!found.isTooMany) add();
    // What the client is told by an error of ours, it only logs.
    if (found.isTooMany) client.close();
  };
  const attributes = criteria.all === true ? [{ type: 'ATOM', value: 'ALL' }] : searchCompiler(client, criteria);
  try {
    const response = await (client as unknown as Commands).exec('UID SEARCH', attributes, {
      untagged: {
        SEARCH: ({ numbers, attributes: words = [] }) =>
          collect(() => found.addNumbers(numbers ?? words.map((word) => Number(textOf(word))))),
        ESEARCH: ({ attributes: words = [] }) => collect(() => found.addRanges(allOf(words))),
      },
    });
    response.next();
  } catch (error) {
    if (!found.isTooMany) throw error;
  }
  if (found.isTooMany) throw new MailboxError('too_large', `the search found more than ${MATCHES_MAX} messages`);
  return found.sorted();
}

/** What was found so far. */
class Matches {
  readonly #uids: number[] = [];
  isTooMany = false;

  addNumbers(numbers: readonly number[]): void {
    if (this.#uids.length + numbers.length > MATCHES_MAX) this.isTooMany = true;
    else for (const uid of numbers) if (isUid(uid)) this.#uids.push(uid);
  }

  /** @param set a sequence set (RFC 3501, section 9): `1:3,7` */
  addRanges(set: string): void {
    for (const range of set.split(',', MATCHES_MAX + 1)) {
      const [one = '', other = one] = range.split(':', 2);
      const [first, last] = [Number(one), Number(other)].sort((a, b) => a - b) as [number, number];
      if (!isUid(first) || !isUid(last)) continue;
      if (this.#uids.length + last - first + 1 > MATCHES_MAX) this.isTooMany = true;
      if (this.isTooMany) return;
      for (let uid = first; uid <= last; uid += 1) this.#uids.push(uid);
    }
  }

  sorted(): Uint32Array {
    return Uint32Array.from(this.#uids)
      .sort()
      .filter((uid, n, all) => n === 0 || uid !== all[n - 1]);
  }
}

const isUid = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= UID_MAX;

const textOf = (word: unknown): string => {
  const { value } = (word ?? {}) as { readonly value?: unknown };
  return typeof value === 'string' ? value : '';
};

/** The set that an ESEARCH response has after `ALL`. */
function allOf(words: readonly unknown[]): string {
  const at = words.findIndex((word) => textOf(word).toUpperCase() === 'ALL');
  return at < 0 ? '' : textOf(words[at + 1]);
}
