// SPDX-License-Identifier: Apache-2.0

/** One event of a stream (Server-Sent Events, WHATWG HTML §9.2). */
export interface ServerEvent {
  readonly event: string;
  /** the parsed JSON; the text where it is none */
  readonly data: unknown;
  readonly id: string | null;
}

/** A page of a list. */
export interface ListPage {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

/** One page when awaited; all items of all pages when iterated. */
export type Listed<P extends ListPage> = Promise<P> & AsyncIterable<P['items'][number]>;

/** Bytes or text that is read as it comes. It can be read once. */
export interface Download extends AsyncIterable<Uint8Array> {
  /** A header of the answer, such as `etag`. */
  header(name: string): string | null;
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
  /** Where the answer is a stream of events, as the output of a command that is followed. */
  events(): AsyncIterable<ServerEvent>;
}

/** Lists by page. The first page is requested at once, and the others as they are read. */
export function listed<P extends ListPage>(readPage: (cursor: string | undefined) => Promise<P>): Listed<P> {
  const first = readPage(undefined);
  async function* items(): AsyncGenerator<unknown, void, undefined> {
    for (let page = await first; ;) {
      yield* page.items;
      if (page.next_cursor === null) return;
      page = await readPage(page.next_cursor);
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items }) as Listed<P>;
}
