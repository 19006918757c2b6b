// SPDX-License-Identifier: Apache-2.0
import type { HttpInput } from '@writ/contract';
import { isHeaderForApi } from '@writ/http-tool';
import { attempt, Unusable, type ImportProblem } from './problems.ts';
import { isObject, type Json } from './read-document.ts';
import { entriesOf, memberOf, resolved, type Located } from './references.ts';

type Place = HttpInput['in'];
type Style = HttpInput['style'];

/** A parameter that an argument fills. */
export interface ReadParameter {
  readonly input: Omit<HttpInput, 'argument'>;
  readonly required: boolean;
  readonly schema: Located;
  readonly description: string | null;
  readonly pointer: string;
}

export interface ReadParameters {
  readonly parameters: readonly ReadParameter[];
  /** optional parameters that are not offered, each with the reason */
  readonly notes: readonly ImportProblem[];
}

/** What parameters may not set, since the tool sets it. */
export interface Reserved {
  /** in lower case */
  readonly headers: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
}

const STYLES: Readonly<Record<Place, readonly Style[]>> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
};
/** OpenAPI has them described elsewhere, and ignores parameters of these names. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/**
 * The parameters of an operation: its own, and those of its path that it doesn't replace. An optional one that can't be
 * had is not offered. @throws Unusable where a required one can't be had
 */
export function readParameters(root: Json, lists: readonly Located[], reserved: Reserved): ReadParameters {
  const byPlace = new Map<string, Located<Json>>();
  for (const list of lists)
    for (const entry of entriesOf(list)) {
      const parameter = resolved(root, entry);
      byPlace.set(`${String(parameter.value['in'])} ${String(parameter.value['name'])}`, parameter);
    }
  const [parameters, notes]: [ReadParameter[], ImportProblem[]] = [[], []];
  for (const parameter of byPlace.values()) {
    const { in: place, name } = parameter.value;
    if (place === 'header' && typeof name === 'string' && IGNORED_HEADERS.has(name.toLowerCase())) continue;
    const read = attempt(() => readParameter(parameter, reserved));
    if ('value' in read) parameters.push(read.value);
    else if (parameter.value['required'] === true || place === 'path') {
      if (!isSetByTool(parameter.value, reserved))
        throw new Unusable(read.problem.pointer, read.problem.message, read.problem.help);
    } else notes.push({ ...read.problem, message: `${read.problem.message}; it is not offered` });
  }
  return { parameters, notes };
}

function isSetByTool({ in: place, name }: Json, { headers, query }: Reserved): boolean {
  return (
    typeof name === 'string' &&
    (place === 'header' ? headers.has(name.toLowerCase()) : place === 'query' && query.has(name))
  );
}

function readParameter(parameter: Located<Json>, reserved: Reserved): ReadParameter {
  const { value, pointer } = parameter;
  const { name, in: place, description } = value;
  if (typeof name !== 'string' || name === '' || name.length > 128)
    throw new Unusable(`${pointer}/name`, 'is no name of at most 128 characters');
  if (place !== 'path' && place !== 'query' && place !== 'header')
    throw new Unusable(`${pointer}/in`, `a parameter in \`${String(place).slice(0, 32)}\` can't be sent`);
  if (isSetByTool(value, reserved))
    throw new Unusable(pointer, `\`${name}\` is set by the tool itself, with a secret or the id of the operation`);
  if (place === 'header' && !isHeaderForApi(name))
    throw new Unusable(`${pointer}/name`, `the header \`${name}\` is none that a tool may set`);
  if (value['schema'] === undefined)
    throw new Unusable(
      pointer,
      `\`${name}\` has no \`schema\``,
      'a value of another media type in a parameter is not sent',
    );
  if (value['allowReserved'] === true)
    throw new Unusable(
      `${pointer}/allowReserved`,
      `\`${name}\` would stand in the URL unescaped`,
      'values are always escaped',
    );
  return {
    input: { name, in: place, ...styleOf(value, place, pointer) },
    required: value['required'] === true,
    schema: memberOf(parameter, 'schema'),
    description: typeof description === 'string' && description !== '' ? description : null,
    pointer,
  };
}

/** The style and whether it explodes, by their defaults where the parameter says nothing. */
function styleOf(value: Json, place: Place, pointer: string): Pick<HttpInput, 'style' | 'explode'> {
  const written = value['style'] ?? (place === 'query' ? 'form' : 'simple');
  const style = STYLES[place].find((one) => one === written);
  if (style === undefined)
    throw new Unusable(
      `${pointer}/style`,
      `the style \`${String(written).slice(0, 32)}\` can't be written in \`${place}\``,
    );
  const explode = value['explode'] ?? style === 'form';
  if (typeof explode !== 'boolean') throw new Unusable(`${pointer}/explode`, 'is no boolean');
  if (explode && (style === 'spaceDelimited' || style === 'pipeDelimited'))
    throw new Unusable(`${pointer}/explode`, `OpenAPI does not say what \`${style}\` means with \`explode: true\``);
  return { style, explode: style === 'deepObject' ? true : explode };
}

/**
 * The problem of a converted schema whose values the style can't write; null for none. Schemas that say nothing of the
 * type pass: each value is checked when it is written.
 */
export function styleProblem(
  { input: { style, explode, in: place }, pointer }: ReadParameter,
  schema: unknown,
): Unusable | null {
  const at = `${pointer}/schema`;
  if (!isObject(schema)) return null;
  const types: readonly unknown[] = [schema['type']].flat();
  const members = Object.values(isObject(schema['properties']) ? schema['properties'] : {});
  const isNested = (one: unknown): boolean =>
    isObject(one) && [one['type']].flat().some((type) => type === 'object' || type === 'array');
  if (isNested(schema['items']) || members.some(isNested))
    return new Unusable(at, 'has lists or objects within lists or objects, for which OpenAPI has no style');
  if (style === 'deepObject' && types[0] !== undefined && !types.includes('object'))
    return new Unusable(at, 'has the style `deepObject` and is no object');
  if (
    style === 'form' &&
    explode &&
    place === 'query' &&
    types.includes('object') &&
    schema['additionalProperties'] !== false &&
    members.length === 0
  )
    return new Unusable(at, 'is an object whose members would become parameters of any name');
  return null;
}
