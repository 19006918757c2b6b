// SPDX-License-Identifier: Apache-2.0

/** A digest as images have it. */
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** `registry/path:tag@digest`, tag or digest or both. */
const REFERENCE = new RegExp(
  [
    '^(?<repository>[a-z0-9]+(?:[._-]+[a-z0-9]+|:\\d+(?=/)|/[a-z0-9]+)*)',
    '(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?',
    '(?:@(?<digest>sha256:[0-9a-f]{64}))?$',
  ].join(''),
);

/** Images by the digests that permits name, as nodes pull them. */
export type ReferenceOf = (digest: string) => string;

/**
 * How nodes pull the image of a digest: the sandbox image by the reference that is configured for it, and any other
 * from the same repository by its digest. Throws an Error that says what to do where the reference doesn't fix an
 * image, or fixes another.
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
 * Whether a runtime's name for the image of a container that runs (`imageID`) is that digest: it ends with the
 * manifest's where the image was pulled, and with the configuration's, which is the id that Docker shows, where it was
 * loaded into the node from a file.
 */
export function isImage(imageId: string, digest: string): boolean {
  return (
    DIGEST.test(digest) && (imageId === digest || imageId.endsWith(`@${digest}`) || imageId.endsWith(`//${digest}`))
  );
}
