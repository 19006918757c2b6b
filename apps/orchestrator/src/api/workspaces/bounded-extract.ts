// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { extract, type Extract } from 'tar-stream';

/**
 * Longest extended header of an entry, in bytes. A workspace path has at most 4,096, and archivers add other
 * attributes; a header of this length is read in a millisecond.
 */
const HEADER_BYTES_MAX = 64 * 1024;
/** The same for a global header, which applies to all following entries and is copied for each of them. */
const GLOBAL_HEADER_BYTES_MAX = 4 * 1024;

/**
 * Empty blocks that end an archive (POSIX.1-2001, pax interchange format). Bytes after them are not part of the
 * archive.
 */
const END_BLOCKS = 2;

/** An archive while it is read. */
export interface BoundedExtract {
  readonly archive: Extract;
  /** whether its end has been read; later bytes must not be written to it */
  readonly hasEnded: () => boolean;
}

/** The internals of tar-stream that this file uses. */
interface ExtractInternals {
  _consumeHeader(): boolean;
  _continueWrite(error: Error): void;
  readonly _header: { readonly type: string } | null;
  readonly _longHeader: boolean;
  readonly _missing: number;
}

/**
 * Reads attacker-controlled archives, and refuses extended headers that are longer than any legitimate one. tar-stream
 * accepts four megabytes of attributes, reads them in one piece, and copies those of a global header for each entry, so
 * an archive of some megabytes would block for hours. It has no option for this, so this function patches its header
 * reader; a test with such an archive fails if its internals change.
 */
export function boundedExtract(): BoundedExtract {
  const archive = extract();
  const internals = archive as unknown as ExtractInternals;
  const consume = internals._consumeHeader.bind(internals);
  let empty = 0;
  internals._consumeHeader = () => {
    const isConsumed = consume();
    if (!isConsumed) return false;
    empty = internals._header === null ? empty + 1 : 0;
    if (!internals._longHeader) return true;
    const bytesMax = internals._header?.type === 'pax-global-header' ? GLOBAL_HEADER_BYTES_MAX : HEADER_BYTES_MAX;
    if (internals._missing <= bytesMax) return true;
    const why = `an extended header has ${internals._missing} bytes, ${bytesMax} are allowed`;
    internals._continueWrite(new Fault('request.malformed', `the archive can't be taken: ${why}`));
    return false;
  };
  return { archive, hasEnded: () => empty >= END_BLOCKS };
}
