// SPDX-License-Identifier: Apache-2.0
// Archives built byte by byte: archives that programs write contain nothing expensive.

const BLOCK = 512;
const FIELDS = [
  ['mode', '0000644\0'],
  ['uid', '0000000\0'],
  ['gid', '0000000\0'],
] as const;

/** One entry of an archive; `type` is the format's type flag. */
export interface TarEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly type?: 'file' | 'pax' | 'pax-global';
}

const FLAGS = { file: '0', pax: 'x', 'pax-global': 'g' } as const;

/** A POSIX archive of these entries. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ name, content = '', type = 'file' }) => {
    const bytes = Buffer.from(content as string);
    return [headerOf(name, bytes.length, FLAGS[type]), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(name: string, size: number, flag: string): Buffer {
  const header = Buffer.alloc(BLOCK);
  const head = [
    name.padEnd(100, '\0'),
    ...FIELDS.map(([, text]) => text),
    `${size.toString(8).padStart(11, '0')}\0`,
    '00000000000\0',
    ' '.repeat(8),
    flag,
  ];
  header.write(head.join(''), 0, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** An extended header with that many attributes. */
export function attributes(bytes: number): string {
  const lines: string[] = [];
  for (let [length, n] = [0, 0]; length < bytes; n += 1) {
    const rest = ` ${n.toString(36)}=\n`;
    const line = `${rest.length + String(rest.length + 1).length}${rest}`;
    lines.push(line);
    length += line.length;
  }
  return lines.join('');
}
