// SPDX-License-Identifier: Apache-2.0
import { usage } from './cli-error.ts';

/** The character that decoders substitute for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/**
 * Decodes an input, which has to be UTF-8. Other bytes would silently become U+FFFD, and be kept and signed as that. A
 * byte order mark stays a part of the text.
 *
 * @param where the source of the bytes, for the message: `standard input`, or the option and the file
 * @throws CliError `usage` with the offset of the first byte that is not UTF-8
 */
export function textOf(bytes: Uint8Array, where: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  const offset = text.includes(REPLACEMENT) ? wrongAt(buffer, text) : null;
  if (offset === null) return text;
  const byte = buffer[offset]?.toString(16).padStart(2, '0') ?? '';
  throw usage(
    `${where} is not UTF-8: byte ${offset} (0x${byte}) begins no character; convert it first, for example with \`iconv\``,
  );
}

/** The first offset where the decoder substituted U+FFFD. */
function wrongAt(bytes: Buffer, text: string): number | null {
  let offset = 0;
  let from = 0;
  for (let found = text.indexOf(REPLACEMENT); found !== -1; found = text.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(text.slice(from, found));
    if (!bytes.subarray(offset, offset + REPLACEMENT_BYTES.length).equals(REPLACEMENT_BYTES)) return offset;
    offset += REPLACEMENT_BYTES.length;
    from = found + 1;
  }
  return null;
}

/**
 * Refuses arguments that were not UTF-8. Node.js decodes arguments before the program runs, and the caller may have
 * decoded them too. So U+FFFD itself is refused here, while a file and standard input may contain it.
 * @throws CliError `usage` with the number of the argument and the offset in it
 */
export function verifyArguments(args: readonly string[]): void {
  const index = args.findIndex((arg) => arg.includes(REPLACEMENT));
  if (index === -1) return;
  const arg = args[index] ?? '';
  const offset = Buffer.byteLength(arg.slice(0, arg.indexOf(REPLACEMENT)));
  const place = `argument ${index + 1} is not UTF-8: its byte ${offset} begins no character, or U+FFFD, which looks the same here`;
  throw usage(`${place}; give the text in a file or by standard input`);
}

/** Whether a line that a terminal decoded was valid UTF-8. */
export const isDecodedWhole = (line: string): boolean => !line.includes(REPLACEMENT);
