// SPDX-License-Identifier: Apache-2.0

/** A digest of an image. */
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** `registry/path:tag@digest`, tag or digest or both. */
const REFERENCE = new RegExp(
  [
    '^(?<repository>[a-z0-9]+(?:[._-]+[a-z0-9]+|:\\d+(?=/)|/[a-z0-9]+)*)',
    '(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?',
    '(?:@(?<digest>sha256:[0-9a-f]{64}))?$',
  ].join(''),
);

/** The reference by which nodes pull an image, by its digest in permits. */
export type ReferenceOf = (digest: string) => string;

/**
 * How nodes pull the image of a digest: the sandbox image by its configured reference, and any other from the same
 * repository by its digest. Throws an Error that names the remedy where the reference is mutable, or contains another
 * digest.
 */
export function referencesFrom(reference: string, digest: string): ReferenceOf {
  const { repository, tag, digest: fixed } = REFERENCE.exec(reference)?.groups ?? {};
  if (repository === undefined)
    throw new Error(
      `\`${reference}\` is no reference of an image: \`registry/name@sha256:…\`, ` +
        'or `registry/name:tag` with a tag that never moves',
    );
  if (fixed === undefined && (tag === undefined || tag === 'latest'))
    throw new Error(
      `\`${reference}\` may lead to another image at any time: ` +
        'name its digest (`@sha256:…`), or a tag that never moves',
    );
  if (fixed !== undefined && fixed !== digest)
    throw new Error(
      `\`${reference}\` names another image than permits do (\`${digest}\`): both must name the same digest`,
    );
  return (asked) => {
    if (asked === digest) return reference;
    if (!DIGEST.test(asked)) throw new Error(`no such image: \`${asked}\` is no digest of one`);
    return `${repository}@${asked}`;
  };
}

/**
 * Whether a runtime's name for the image of a running container (`imageID`) matches that digest. It ends with the
 * manifest's digest where the image was pulled. Where it was loaded into the node from a file, it ends with the digest
 * of the configuration, which is the id that Docker shows.
 */
export function isImage(imageId: string, digest: string): boolean {
  return (
    DIGEST.test(digest) && (imageId === digest || imageId.endsWith(`@${digest}`) || imageId.endsWith(`//${digest}`))
  );
}
