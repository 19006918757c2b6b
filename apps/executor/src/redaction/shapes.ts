// SPDX-License-Identifier: Apache-2.0

/** A form in which a value may show. */
export interface Shape {
  readonly name: string;
  readonly bytes: Buffer;
  /** by byte: what may stand between two bytes of it, as line ends do in base64; null: nothing */
  readonly between: Uint8Array | null;
}

/** An encoded form that is shorter would be found everywhere. */
const ENCODED_BYTES_MIN = 6;
/** A line of a value that is shorter tells little, and may be a line of anything. */
const LINE_BYTES_MIN = 16;

const tableOf = (bytes: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(bytes)) table[byte] = 1;
  return table;
};
/** `base64` and others break lines. */
const LINE_ENDS = tableOf('\r\n');
/** What stands between bytes in hexadecimal: `6d 61`, `6d:61`, `%6d%61`, `\x6d\x61`, `6d-61`, and line ends. */
const HEX_BETWEEN = tableOf('\r\n\t :%\\x,-');

/** Every form in which the value is looked for. What isn't here (compressed, encrypted, a base that is no power of a usual one) is not found. */
export function shapesOf(name: string, value: string): Shape[] {
  const raw = Buffer.from(value, 'utf8');
  const shapes: Shape[] = [];
  const seen = new Set<string>();
  const add = (bytes: Buffer | string, between: Uint8Array | null = null, least = ENCODED_BYTES_MIN): void => {
    const shape = { name, bytes: Buffer.from(bytes), between };
    const key = `${between === null ? '' : between === LINE_ENDS ? 'l' : 'h'} ${shape.bytes.toString('latin1')}`;
    if (shape.bytes.length < least || seen.has(key)) return;
    seen.add(key);
    shapes.push(shape);
  };
  add(raw, null, 1);
  for (const text of texts(value)) add(text);
  for (const line of value.split(/\r?\n/)) add(line.trim(), null, LINE_BYTES_MIN);
  for (const lead of [0, 1, 2]) {
    const within = base64Within(raw, lead);
    add(within, LINE_ENDS);
    add(within.replaceAll('+', '-').replaceAll('/', '_'), LINE_ENDS);
  }
  const hex = raw.toString('hex');
  add(hex, HEX_BETWEEN);
  add(hex.toUpperCase(), HEX_BETWEEN);
  return shapes;
}

const percent = (value: string, kept: RegExp): string => [...Buffer.from(value, 'utf8')].map((byte) => (kept.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)).join('');
const lowerPercent = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());

/** The value as formats and shells write it. */
function texts(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const component = percent(value, /[A-Za-z0-9_.!~*'()-]/);
  const strict = percent(value, /[A-Za-z0-9_.~-]/);
  const form = strict.replaceAll('%20', '+');
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    json, ascii, json.replaceAll('/', '\\/'), component, strict, form, lowerPercent(component), lowerPercent(strict), lowerPercent(form),
    value.replaceAll('\'', '\'\\\'\''), value.replaceAll(/[^A-Za-z0-9_./:=@%+,\n-]/g, '\\$&'), html, html.replaceAll('"', '&quot;').replaceAll('\'', '&#39;'), value.replaceAll(/\r?\n/g, '\r\n'),
  ];
}

/** The characters of base64 that hang on the value alone where `lead` bytes of something else stand before it, and others behind it. */
function base64Within(raw: Buffer, lead: number): string {
  const text = Buffer.concat([Buffer.alloc(lead), raw]).toString('base64').replaceAll('=', '');
  const mixed = (lead + raw.length) % 3 === 0 ? 0 : 1;
  return text.slice(lead === 0 ? 0 : lead + 1, text.length - mixed);
}
