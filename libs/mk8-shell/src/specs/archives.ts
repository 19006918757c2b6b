// SPDX-License-Identifier: Apache-2.0
import { crc32, deflateRawSync } from 'node:zlib';

interface ZipOptions {
  readonly mode?: number;
  readonly size?: number;
}
/** A zip of names and contents; `mode` is the Unix mode of every entry, `size` a false uncompressed size. */
export function zipOf(
  files: readonly (readonly [name: string, content: string])[],
  { mode = 0, size }: ZipOptions = {},
): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const [data, packed, file] = [Buffer.from(content), deflateRawSync(Buffer.from(content)), Buffer.from(name)];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(file.length, 26);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt8(mode === 0 ? 0 : 3, 5);
    row.writeUInt16LE(8, 10);
    row.writeUInt32LE(crc32(data), 16);
    row.writeUInt32LE(packed.length, 20);
    row.writeUInt32LE(size ?? data.length, 24);
    row.writeUInt16LE(file.length, 28);
    row.writeUInt16LE(mode, 40);
    row.writeUInt32LE(offset, 42);
    locals.push(local, file, packed);
    central.push(row, file);
    offset += 30 + file.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...central, end]);
}

/** A tar with one header for each entry. */
export function tarOf(files: readonly (readonly [name: string, content: string, type?: string])[]): Buffer {
  const blocks = files.flatMap(([name, content, type = '0']) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write('ustar\x0000', 257);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
