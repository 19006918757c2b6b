// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** The name of a tenant's image, as tools and profiles write it. */
export const ImageName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
  description: 'one to 64 small letters, digits, `.`, `_`, `-`',
});
export const ImageDigest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: '`sha256:…` of an image' });
/** `registry/repository@sha256:…`. A tag alone is refused, since it may lead to another image at any time. */
export const ImageReference = Type.String({
  maxLength: 512,
  pattern: '^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+@sha256:[0-9a-f]{64}$',
  description: '`registry/repository@sha256:…`',
});

/** Package managers read an argument that ends like this as a file. */
const notEnding = (...endings: readonly string[]): string => `(?!.*\\.(${endings.join('|')})$)`;
const DEBIAN_FILES = notEnding('deb', 'dsc', 'changes');
const NPM_FILES = notEnding('[tT][gG][zZ]', '[tT][aA][rR](\\.[gG][zZ])?');
const PIP_FILES = notEnding('zip', 'whl', 'tar', '[a-z]*[gx]z', '[a-z]*bz2?', 't?lz', 'lzma');

/** Debian policy 5.6.1: two characters or more. One that ends in `-` would remove the package. */
const DEBIAN_NAME = `^${DEBIAN_FILES}[a-z0-9][a-z0-9+.-]*[a-z0-9+]$`;
/** Debian policy 5.6.12. */
const DEBIAN_VERSION = `^${DEBIAN_FILES}([0-9]+:)?[0-9]([A-Za-z0-9.+~-]*[A-Za-z0-9])?$`;
const NPM_NAME = `^${NPM_FILES}(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`;
/** A number of semver: without leading zeros, and one that npm can count with. */
const COUNT = '(0|[1-9][0-9]{0,14})';
const PRERELEASE = '(0|[1-9][0-9]{0,14}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const NPM_VERSION = `^${NPM_FILES}${COUNT}\\.${COUNT}\\.${COUNT}(-${PRERELEASE}(\\.${PRERELEASE})*)?$`;
const PIP_NAME = '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$';
/** PEP 440 in its canonical spelling; numbers may begin with zeros, as those of dates do. */
const PIP_VERSION =
  `^${PIP_FILES}([0-9]+!)?[0-9]+(\\.[0-9]+)*((a|b|rc)[0-9]+)?(\\.post[0-9]+)?(\\.dev[0-9]+)?` +
  '(\\+[a-z0-9]+(\\.[a-z0-9]+)*)?$';

/** More are an image of one's own. */
const PACKAGES_MAX = 64;
const packages = (name: string, version: string, description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          name: Type.String({ maxLength: 214, pattern: name, description: 'the name of one package' }),
          version: Type.String({ maxLength: 128, pattern: version, description: 'one exact version' }),
        },
        closed,
      ),
      { maxItems: PACKAGES_MAX, description },
    ),
  );

/**
 * What a recipe adds to its base: exact versions alone. INVARIANT (data only): no member is a command, and none of the
 * forms here is read as an option, a range, an address or a path by the package managers.
 */
export const ImageRecipe = Type.Object(
  {
    base: Type.Optional(
      Type.Union([ImageDigest, ImageReference, Type.Null()], {
        description: 'the image that the packages are added to; null: the sandbox image of the deployment',
      }),
    ),
    debian: packages(DEBIAN_NAME, DEBIAN_VERSION, 'of Debian'),
    npm: packages(NPM_NAME, NPM_VERSION, 'of the npm registry, installed globally'),
    pip: packages(PIP_NAME, PIP_VERSION, 'of a Python index'),
  },
  closed,
);
export type ImageRecipe = Static<typeof ImageRecipe>;

/** Where an image comes from: exactly one member. */
export const ImageSource = Type.Union([
  Type.Object({ reference: ImageReference }, { ...closed, description: 'an image of a registry' }),
  Type.Object({ digest: ImageDigest }, { ...closed, description: 'an image that the engines of the executors have' }),
  Type.Object({ recipe: ImageRecipe }, { ...closed, description: 'packages that are added to a base' }),
]);
export type ImageSource = Static<typeof ImageSource>;

/** A registered image as an executor gets it: base64 of the RFC 8785 bytes of its source, and what calls run in. */
export const RegisteredImage = Type.Object({ definition: Type.String(), image_digest: ImageDigest }, closed);
export type RegisteredImage = Static<typeof RegisteredImage>;

/** The system user that the commands of a profile run as. */
export const SystemUser = Type.Union(
  [
    Type.String({ pattern: '^[a-z_][a-z0-9_-]{0,31}$', description: 'a user of the image, by its name' }),
    Type.Object(
      { uid: Type.Integer({ minimum: 1, maximum: 65_533 }), gid: Type.Integer({ minimum: 1, maximum: 65_533 }) },
      closed,
    ),
  ],
  { description: 'the user that commands run as, never root; the user `sandbox` (10001) unless set' },
);
export type SystemUser = Static<typeof SystemUser>;
