// SPDX-License-Identifier: Apache-2.0
//
// multipart/form-data: RFC 7578, and RFC 2046 §5.1 for its boundary.

export interface FilePart {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface Multipart {
  /** of the header `content-type` */
  readonly type: string;
  readonly body: Uint8Array;
}

/** A name or value that ends its own line would add headers. All of ours are constants, or were checked. */
const quoted = (text: string): string => {
  if (/["\r\n]/.test(text)) throw new Error('a form has a name with a quote or a line break');
  return `"${text}"`;
};

/**
 * Encodes a form.
 *
 * @param boundary that occurs in no part: random, of at least 122 bits
 */
export function encodeMultipart(
  fields: readonly (readonly [name: string, value: string])[],
  file: FilePart,
  boundary: string,
): Multipart {
  const parts: Uint8Array[] = fields.map(([name, value]) =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name=${quoted(name)}\r\n\r\n${value}\r\n`),
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name=${quoted(file.field)}; filename=${quoted(file.name)}\r\ncontent-type: ${file.type}\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
