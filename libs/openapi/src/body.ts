// SPDX-License-Identifier: Apache-2.0
import type { HttpTool } from '@writ/contract';
import { Unusable } from './problems.ts';
import { isObject, type Json } from './read-document.ts';
import { memberOf, membersOf, resolved, type Located } from './references.ts';

type Media = NonNullable<HttpTool['body']>['media'];

/** A body that one argument fills. */
export interface ReadBody {
  readonly media: Media;
  readonly required: boolean;
  /** null: any JSON */
  readonly schema: Located | null;
  readonly description: string | null;
  readonly pointer: string;
}

/** The type of a media type, without its parameters. */
const essenceOf = (media: string): string => (media.split(';')[0] ?? '').trim().toLowerCase();

/**
 * The body of an operation; null for none. JSON comes before a form.
 * @throws Unusable for media types that can't be sent: then the operation is left out
 */
export function readBody(root: Json, written: Located): ReadBody | null {
  if (written.value === undefined) return null;
  const body = resolved(root, written);
  const content = memberOf(body, 'content');
  const media = membersOf(content);
  for (const accepted of ['application/json', 'application/x-www-form-urlencoded'] as const) {
    const found = media.find(([name]) => essenceOf(name) === accepted);
    if (found === undefined) continue;
    const [, { value, pointer }] = found;
    if (!isObject(value)) throw new Unusable(pointer, 'is no object');
    if (accepted !== 'application/json') verifyEncoding(value, pointer);
    const { description } = body.value;
    return {
      media: accepted,
      required: body.value['required'] === true,
      schema: value['schema'] === undefined ? null : memberOf({ value, pointer }, 'schema'),
      description: typeof description === 'string' && description !== '' ? description : null,
      pointer: body.pointer,
    };
  }
  const names = media.map(([name]) => `\`${name.slice(0, 64)}\``).join(', ');
  throw new Unusable(
    content.pointer,
    names === '' ? 'the body has no media type' : `a body of ${names} can't be sent`,
    'JSON and URL-encoded forms can; send others with `net.egress`',
  );
}

/** Members of a form are written in the default style alone. */
function verifyEncoding(media: Json, pointer: string): void {
  const { encoding } = media;
  if (!isObject(encoding)) return;
  for (const [name, how] of Object.entries(encoding)) {
    const { style = 'form', explode = true, contentType, allowReserved } = isObject(how) ? how : {};
    if (style !== 'form' || explode !== true || contentType !== undefined || allowReserved === true)
      throw new Unusable(
        `${pointer}/encoding`,
        `the member \`${name.slice(0, 64)}\` of the form is not written in the style \`form\` with \`explode: true\``,
      );
  }
}

/** The problem of a converted schema of a form that no form can carry; null for none. */
export function formProblem({ pointer }: ReadBody, schema: unknown): Unusable | null {
  if (!isObject(schema)) return null;
  const members = Object.values(isObject(schema['properties']) ? schema['properties'] : {});
  const isFlat = (one: unknown): boolean =>
    !isObject(one) ||
    (![one['type']].flat().includes('object') &&
      !(isObject(one['items']) && ['object', 'array'].includes(String(one['items']['type']))));
  return members.every(isFlat)
    ? null
    : new Unusable(pointer, 'is a form with objects in it, which OpenAPI does not say how to write');
}

/**
 * The schema of the JSON that an operation answers with on success: of the first documented 2xx status. Null where it
 * documents none.
 */
export function resultSchemaOf(root: Json, responses: Located): Located | null {
  const successes = membersOf(responses)
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const schemas = successes.flatMap(([, response]) => {
    const media = membersOf(memberOf(resolved(root, response), 'content'));
    const json = media.find(([name]) => essenceOf(name) === 'application/json' || essenceOf(name).endsWith('+json'));
    return json === undefined ? [null] : [memberOf(json[1], 'schema')];
  });
  const [first] = schemas;
  // Several kinds of success have no schema in common.
  return schemas.length === 1 && first !== null && first?.value !== undefined ? (first ?? null) : null;
}
