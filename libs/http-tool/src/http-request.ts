// SPDX-License-Identifier: Apache-2.0
import { pointerOf, type HttpTool } from '@writ/contract';
import { parseUrl, TargetError, URL_CHARS_MAX } from '@writ/egress';
import { pathOf } from './path.ts';
import { RequestError } from './request-error.ts';
import { pairsOf, percentEncoded, simpleText, type Pair } from './serialize.ts';

type Args = Readonly<Record<string, unknown>>;

/** What a request is made of, beside the arguments. */
export type HttpRecipe = Pick<
  HttpTool,
  'method' | 'server' | 'path' | 'inputs' | 'body' | 'credentials' | 'idempotency_header'
>;

/** A request as it was decided: without its credentials. */
export interface HttpRequest {
  readonly method: HttpTool['method'];
  readonly url: string;
  /** lower-case names, each once */
  readonly headers: readonly Pair[];
  readonly body: { readonly media: string; readonly text: string } | null;
}

/** Servers take no longer headers in general. */
const FIELD_CHARS_MAX = 4_096;
/** What a header's value may hold and still arrive as it was sent: ASCII (RFC 9110 §5.5), and no space at an end. */
const FIELD_VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/**
 * The request of a call: a function of the tool and the arguments alone. INVARIANT (nothing beside): no value of an
 * argument changes the host, the structure of the path, the number of headers, or another parameter. Total for
 * arguments that have no problems by `requestFaults`.
 * @throws RequestError for arguments that no request can carry exactly
 */
export function httpRequestOf(recipe: HttpRecipe, args: Args): HttpRequest {
  const { method } = recipe;
  return { method, url: requestUrlOf(recipe, args), headers: headersOf(recipe, args), body: bodyOf(recipe, args) };
}

/** The URL of that request alone: its work is bounded by the length that a URL may have. @throws RequestError */
export function requestUrlOf(recipe: HttpRecipe, args: Args): string {
  const query = queryOf(recipe, args);
  return verifiedUrl(`${recipe.server}${pathOf(recipe, args)}${query === '' ? '' : `?${query}`}`);
}

/** The problems of arguments that match the schema; empty if a request can carry them. Total and pure. */
export function requestFaults(recipe: HttpRecipe, args: Args): { pointer: string; message: string }[] {
  try {
    requestUrlOf(recipe, args);
    headersOf(recipe, args);
    // Any JSON has a text.
    if (recipe.body?.media !== 'application/json') bodyOf(recipe, args);
    return [];
  } catch (error) {
    if (error instanceof RequestError) return [{ pointer: error.pointer, message: error.message }];
    throw error;
  }
}

/** A URL that every reader reads alike. @throws RequestError */
function verifiedUrl(url: string): string {
  try {
    const { path } = parseUrl(url);
    if (url.endsWith(path)) return url;
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw new RequestError('', `make a request that can't be sent: ${error.message}`);
  }
  throw new RequestError('', 'make a URL that has more than one reading');
}

function queryOf({ inputs, credentials }: HttpRecipe, args: Args): string {
  const own = inputs.filter((one) => one.in === 'query');
  const reserved = new Set([
    ...own.map(({ name }) => name),
    ...credentials.filter((one) => one.in === 'query').map(({ name }) => name),
  ]);
  const names = new Set<string>();
  const written: string[] = [];
  let length = 0;
  for (const input of own) {
    const value = args[input.argument];
    if (value === undefined) continue;
    for (const pair of pairsOf(input, value)) {
      const [name] = pair;
      // Members of an object that is written in this way become parameters. Some readers take `a[b]` for a part of `a`.
      const isTaken = reserved.has(name) || reserved.has(name.split('[')[0] ?? '') || names.has(name);
      if (input.style === 'form' && name !== input.name && isTaken)
        throw new RequestError(pointerOf(input.argument), 'has a member with the name of another parameter');
      names.add(name);
      // No part of a list holds a comma, so every comma here parts values, and stands for itself.
      const isJoined = input.style === 'form' && !input.explode && typeof value === 'object';
      const encoded = percentEncoded(pair[1]);
      const text = `${percentEncoded(name)}=${isJoined ? encoded.replaceAll('%2C', ',') : encoded}`;
      written.push(text);
      length += text.length;
      if (length > URL_CHARS_MAX) throw new RequestError(pointerOf(input.argument), 'is too long for a URL');
    }
  }
  return written.join('&');
}

function headersOf({ inputs }: HttpRecipe, args: Args): Pair[] {
  return inputs.flatMap((input): Pair[] => {
    const value = args[input.argument];
    if (input.in !== 'header' || value === undefined) return [];
    const text = simpleText(input, value, (one) => one);
    if (text.length > FIELD_CHARS_MAX)
      throw new RequestError(
        pointerOf(input.argument),
        `stands in a header: it may have ${FIELD_CHARS_MAX} characters`,
      );
    if (!FIELD_VALUE.test(text))
      throw new RequestError(
        pointerOf(input.argument),
        'stands in a header: it may have printable ASCII characters alone, and no space at an end',
      );
    return [[input.name.toLowerCase(), text]];
  });
}

function bodyOf({ body }: HttpRecipe, args: Args): HttpRequest['body'] {
  const value = body === null ? undefined : args[body.argument];
  if (body === null || value === undefined) return null;
  if (body.media === 'application/json') return { media: body.media, text: JSON.stringify(value) };
  return { media: body.media, text: new URLSearchParams(formPairs(body.argument, value)).toString() };
}

/** The members of a form: each is a value, or a list that repeats its name. */
function formPairs(argument: string, value: unknown): [string, string][] {
  const pointer = pointerOf(argument);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RequestError(pointer, 'is to be an object');
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (typeof member === 'object' && !Array.isArray(member))
      throw new RequestError(`${pointer}${pointerOf(name)}`, 'is to be a text, a number, a boolean or a list of them');
    const input = { argument, name, style: 'form', explode: true } as const;
    if (!name.isWellFormed()) throw new RequestError(pointer, 'has a name that is no Unicode text');
    return pairsOf(input, member).map(([key, text]): [string, string] => [key, text]);
  });
}
