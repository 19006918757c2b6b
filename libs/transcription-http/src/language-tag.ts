// SPDX-License-Identifier: Apache-2.0

/** The languages of Whisper, which services name in English. */
const CODES =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh'.split(
    ' ',
  );

/** Names of Whisper that differ from those of the Unicode CLDR. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  javanese: 'jv',
  'haitian creole': 'ht',
  myanmar: 'my',
  tagalog: 'tl',
  castilian: 'es',
  flemish: 'nl',
  mandarin: 'zh',
  nynorsk: 'nn',
};

const names = new Intl.DisplayNames('en', { type: 'language' });
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ...CODES.map((code) => [names.of(code)?.toLowerCase() ?? code, code] as const),
  ...Object.entries(OTHER_NAMES),
]);

/** The tag of BCP 47 for a language that a service named, by tag or in English; null if it is none that is known. */
export function languageTagOf(named: string | null): string | null {
  const text = named?.trim().toLowerCase() ?? '';
  if (CODES.includes(text.replace(/-.*/, ''))) return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/.test(text) ? text : null;
  return BY_NAME.get(text) ?? null;
}
