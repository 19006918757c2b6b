// SPDX-License-Identifier: Apache-2.0
import { ImageSource, schemaProblems } from '@writ/contract';
import { canonicalBytes, JsonError, parseIJson, sha256Hex } from '@writ/digest';
import { Compile } from 'typebox/compile';

const [REFERENCE, DIGEST, RECIPE] = ImageSource.anyOf;
const KINDS = { reference: Compile(REFERENCE), digest: Compile(DIGEST), recipe: Compile(RECIPE) } as const;
const SOURCE = Compile(ImageSource);
/** Levels of JSON that a source has. */
const DEPTH_MAX = 8;

export type SourceRead =
  | { readonly source: ImageSource; readonly problem: null }
  | { readonly source: null; readonly problem: { readonly pointer: string; readonly message: string } };

/** Parses a value as the source of an image. Attacker-controlled. */
export function readImageSource(value: unknown): SourceRead {
  const kinds = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const [kind] = kinds;
  if (kinds.length !== 1 || (kind !== 'reference' && kind !== 'digest' && kind !== 'recipe'))
    return failed('', 'must have exactly one of `reference`, `digest` and `recipe`');
  const [problem] = schemaProblems(KINDS[kind].Type(), value);
  if (problem !== undefined) return failed(problem.pointer, problemOf(problem.pointer, problem.message));
  const source = value as ImageSource;
  if ('recipe' in source) {
    const { debian = [], npm = [], pip = [] } = source.recipe;
    const twice = Object.entries({ debian, npm, pip }).find(
      ([, list]) => new Set(list.map(({ name }) => name)).size < list.length,
    );
    if (twice !== undefined) return failed(`/recipe/${twice[0]}`, 'names a package twice');
    if (debian.length + npm.length + pip.length === 0) return failed('/recipe', 'adds no package');
  }
  return { source, problem: null };
}

const failed = (pointer: string, message: string): SourceRead => ({ source: null, problem: { pointer, message } });

const problemOf = (pointer: string, message: string): string =>
  pointer === '/reference'
    ? 'must be `registry/repository@sha256:…`: a tag may lead to another image at any time'
    : pointer.endsWith('/version')
      ? 'must be one exact version'
      : message;

/** The bytes over which the digest of a source is computed: RFC 8785. */
export const sourceBytes = (source: ImageSource): Uint8Array => canonicalBytes(source);

/** Hex SHA-256 of those bytes. */
export const sourceDigest = (bytes: Uint8Array): string => sha256Hex(bytes);

/** A source from its bytes; null for bytes that are no source of this version. Attacker-controlled. */
export function sourceFrom(bytes: Uint8Array): ImageSource | null {
  try {
    const value = parseIJson(bytes, { depthMax: DEPTH_MAX });
    // Other bytes with the same meaning would have another digest.
    return SOURCE.Check(value) && Buffer.from(sourceBytes(value)).equals(bytes) ? value : null;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return null;
  }
}
