// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { extract, type Extract } from 'tar-stream';

/**
 * Longest extended header of an entry, in bytes. A path of a workspace has 4,096, and archivers put other attributes
 * beside it; one of this length is read in a millisecond.
 */
const HEADER_BYTES_MAX = 64 * 1024;
/** The same for one that counts for all entries behind it: it is copied for each of them. */
const GLOBAL_HEADER_BYTES_MAX = 4 * 1024;

/** Empty blocks that end an archive (POSIX.1-2001, pax interchange format). What is behind them is none of it. */
const END_BLOCKS = 2;

/** An archive as it is read. */
export interface BoundedExtract {
  readonly archive: Extract;
  /** whether its end has been read: what comes then is not written to it */
  readonly isOver: () => boolean;
}

/** What tar-stream keeps while it reads, as far as this file looks at it. */
interface Reading {
  _consumeHeader(): boolean;
  _continueWrite(error: Error): void;
  readonly _header: { readonly type: string } | null;
  readonly _longHeader: boolean;
  readonly _missing: number;
}

/**
 * Reads archives, attacker-controlled, and refuses extended headers that are longer than any that is meant. tar-stream
 * takes four megabytes of attributes, reads them in one piece, and copies those of a global header for each entry: some
 * megabytes of archive then stand still for hours. It has no option for this, so the bound is put where it reads a
 * header; a test of such an archive notices when its inside has changed.
 */
export function boundedExtract(): BoundedExtract {
  const archive = extract();
  const reading = archive as unknown as Reading;
  const consume = reading._consumeHeader.bind(reading);
  let empty = 0;
  reading._consumeHeader = () => {
    const goesOn = consume();
    if (!goesOn) return false;
    empty = reading._header === null ? empty + 1 : 0;
    if (!reading._longHeader) return true;
    const bytesMax = reading._header?.type === 'pax-global-header' ? GLOBAL_HEADER_BYTES_MAX : HEADER_BYTES_MAX;
    if (reading._missing <= bytesMax) return true;
    const why = `an extended header has ${reading._missing} bytes, ${bytesMax} are allowed`;
    reading._continueWrite(new Fault('request.malformed', `the archive can't be taken: ${why}`));
    return false;
  };
  return { archive, isOver: () => empty >= END_BLOCKS };
}
