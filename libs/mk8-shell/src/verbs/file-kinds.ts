// SPDX-License-Identifier: Apache-2.0

/** First bytes, in hex, that show the type of a file, whatever its name. */
const SIGNATURES: readonly (readonly [hex: string, type: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['25504446', 'application/pdf'],
  ['504b0304', 'application/zip'],
  ['504b0506', 'application/zip'],
  ['1f8b', 'application/gzip'],
  ['7f454c46', 'application/x-elf'],
  ['4d5a', 'application/vnd.microsoft.portable-executable'],
  ['425a68', 'application/x-bzip2'],
  ['fd377a585a00', 'application/x-xz'],
  ['53514c69746520666f726d6174203300', 'application/vnd.sqlite3'],
  ['0061736d', 'application/wasm'],
  ['28b52ffd', 'application/zstd'],
];

const BY_EXTENSION: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  ts: 'text/plain',
  tsv: 'text/tab-separated-values',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  ico: 'image/vnd.microsoft.icon',
  webp: 'image/webp',
  tar: 'application/x-tar',
};

/** A file's media type: by its first bytes, else by its name, else whether it is text. */
export function mimeTypeOf(head: Uint8Array, path: string): string {
  const hex = Buffer.from(head.subarray(0, 16)).toString('hex');
  const signed = SIGNATURES.find(([start]) => hex.startsWith(start));
  if (signed !== undefined) return signed[1];
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(BY_EXTENSION, extension)) return BY_EXTENSION[extension] ?? '';
  return encodingOf(head) === 'binary' ? 'application/octet-stream' : 'text/plain';
}

/** The encoding of a text: by its byte order mark, else by whether the bytes are valid. */
export function encodingOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (hex.startsWith('efbbbf')) return 'utf-8-bom';
  if (hex === 'fffe0000' || hex === '0000feff') return hex === 'fffe0000' ? 'utf-32le' : 'utf-32be';
  if (hex.startsWith('fffe') || hex.startsWith('feff')) return hex.startsWith('fffe') ? 'utf-16le' : 'utf-16be';
  if (bytes.includes(0)) return 'binary';
  if (bytes.every((byte) => byte < 0x80)) return 'ascii';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    return 'binary';
  }
}
