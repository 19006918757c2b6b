// SPDX-License-Identifier: Apache-2.0
import { SaxesParser } from 'saxes';
import { CalendarError } from '../calendar-error.ts';

/** What a multistatus of a REPORT says (RFC 4918, 13; RFC 4791, 7.8). */
export interface Multistatus {
  /** the texts of `calendar-data` */
  readonly objects: readonly string[];
  /** the server says that there are more than it answers */
  readonly truncated: boolean;
  /** objects that the server has, and did not give */
  readonly withheld: number;
}

/** A `calendar-data` is the fifth element. */
const DEPTH_MAX = 32;
const DAV = 'DAV:';
const CALDAV = 'urn:ietf:params:xml:ns:caldav';

const malformed = (why: string, cause?: unknown): CalendarError =>
  new CalendarError('malformed', `the reply is no answer of CalDAV: ${why}`, { cause });

/**
 * Reads a multistatus. It is attacker-controlled. A document type is refused, so only the entities of XML are known.
 * @throws CalendarError `malformed`
 */
export function readMultistatus(bytes: Uint8Array): Multistatus {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('it is no UTF-8', cause);
  }
  const reader = new MultistatusReader();
  const parser = new SaxesParser({ xmlns: true });
  parser.on('doctype', () => {
    throw malformed('it has a document type');
  });
  parser.on('error', (cause) => {
    throw malformed('it is no well-formed XML', cause);
  });
  parser.on('opentag', ({ uri, local }) => reader.open(`${uri} ${local}`));
  parser.on('closetag', () => reader.close());
  parser.on('text', (data) => reader.text(data));
  parser.on('cdata', (data) => reader.text(data));
  parser.write(text).close();
  return reader;
}

const MULTISTATUS = `${DAV} multistatus`;
const RESPONSE = [MULTISTATUS, `${DAV} response`].join('/');
const RESPONSE_STATUS = `${RESPONSE}/${DAV} status`;
const PROPSTAT = `${RESPONSE}/${DAV} propstat`;
const PROPSTAT_STATUS = `${PROPSTAT}/${DAV} status`;
const DATA = [PROPSTAT, `${DAV} prop`, `${CALDAV} calendar-data`].join('/');

class MultistatusReader implements Multistatus {
  readonly objects: string[] = [];
  truncated = false;
  withheld = 0;
  readonly #path: string[] = [];
  #text: string[] = [];
  #data: string | null = null;
  #status = 0;

  open(name: string): void {
    if (this.#path.length >= DEPTH_MAX) throw malformed(`it nests more than ${DEPTH_MAX} elements`);
    if (this.#path.length === 0 && name !== MULTISTATUS) throw malformed('it is no multistatus');
    // A name cannot contain a slash.
    this.#path.push(`${this.#path.at(-1) ?? ''}${this.#path.length === 0 ? '' : '/'}${name}`);
    this.#text = [];
  }

  text(data: string): void {
    const path = this.#path.at(-1);
    if (path === DATA || path === RESPONSE_STATUS || path === PROPSTAT_STATUS) this.#text.push(data);
  }

  close(): void {
    const path = this.#path.pop();
    const text = this.#text.join('');
    if (path === DATA) this.#data = text;
    else if (path === PROPSTAT_STATUS) this.#status = statusOf(text);
    else if (path === RESPONSE_STATUS) this.#ofResponse(statusOf(text));
    else if (path === PROPSTAT) this.#ofPropstat();
    this.#text = [];
  }

  #ofPropstat(): void {
    const [data, status] = [this.#data, this.#status];
    [this.#data, this.#status] = [null, 0];
    if (data === null) return;
    if (status >= 200 && status < 300 && data.trim() !== '') this.objects.push(data);
    else this.withheld += 1;
  }

  /** 507 says that the reply is cut (RFC 6578, 3.6). An object of status 404 is gone. */
  #ofResponse(status: number): void {
    if (status === 507) this.truncated = true;
    else if (status >= 300 && status !== 404 && status !== 410) this.withheld += 1;
  }
}

/** The status of `HTTP/1.1 200 OK`. */
const statusOf = (text: string): number => Number(/^\s*HTTP\/\d(?:\.\d)? (\d{3})/.exec(text)?.[1] ?? 0);
