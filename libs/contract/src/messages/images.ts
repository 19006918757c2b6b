// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';
import { ImageDigest, ImageName, ImageSource } from '../images/image-source.ts';
import { Caller, Page } from './operations.ts';

const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
/** A name in a request: an invalid one is simply not found. */
const Named = Type.String({ minLength: 1, maxLength: 128 });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
/** The end of a build's log that is kept. */
export const IMAGE_LOG_CHARS_MAX = 65_536;

export const IMAGE_STATES = ['waiting', 'building', 'ready', 'failed'] as const;
export const ImageTools = Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_.]{0,63}$' }), {
  maxItems: 64,
  uniqueItems: true,
  description: 'tools whose calls run in it; profiles and programs name their image themselves',
});

/** A registered image. It never changes; its name is free again once it is removed. */
export const ImageView = Type.Object(
  {
    image_id: idSchema('image'),
    name: ImageName,
    source: ImageSource,
    digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'hex SHA-256 of the source, RFC 8785' }),
    tools: ImageTools,
    state: Type.Enum([...IMAGE_STATES]),
    image_digest: Type.Union([ImageDigest, Type.Null()], {
      description: 'what calls run in, as in their permits and records; null until it is ready',
    }),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'why it failed' }),
    created_by: Type.String({ description: 'the API key' }),
    created_at: Type.Integer({ minimum: 0 }),
    updated_at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type ImageView = Static<typeof ImageView>;

export const ImageLog = Type.Object(
  {
    state: Type.Enum([...IMAGE_STATES]),
    log: Type.String({ description: 'the end of what the builder and the package managers wrote' }),
  },
  closed,
);
export type ImageLog = Static<typeof ImageLog>;

/** orchestrator → kernel, of a tenant's images. */
export const IMAGE_REQUESTS = {
  /** → ImageView. Creating the same one twice creates it once; another under a used name is a `conflict` */
  'image.create': Type.Object({ ...asked, name: ImageName, source: Type.Unknown(), tools: ImageTools }, closed),
  /** → {items: ImageView[], next_cursor}, by name */
  'image.list': Type.Object({ ...asked, page: Page }, closed),
  /** → ImageView */
  'image.read': Type.Object({ ...asked, name: Named }, closed),
  /** → ImageLog */
  'image.log': Type.Object({ ...asked, name: Named }, closed),
  /** → {removed: name}: no call runs in it from then on */
  'image.remove': Type.Object({ ...asked, name: Named }, closed),
} as const;

/** executor → kernel: `kernel.image.claim`: is there an image to fetch or to build? */
export const ImageClaimRequest = Type.Object({ v: Type.Literal(1), executor_id: idSchema('executor') }, closed);
export type ImageClaimRequest = Static<typeof ImageClaimRequest>;
/** An image that the executor is to make ready. `claim` fences earlier executors. */
export const ImageClaim = Type.Object(
  {
    image_id: idSchema('image'),
    tenant_id: idSchema('tenant'),
    definition: Type.String(),
    digest: Sha256Hex,
    claim: Type.Integer({ minimum: 1 }),
  },
  closed,
);
export type ImageClaim = Static<typeof ImageClaim>;
export const ImageClaimReply = Type.Object({ v: Type.Literal(1), claim: orNull(ImageClaim) }, closed);
export type ImageClaimReply = Static<typeof ImageClaimReply>;

const Claimed = {
  v: Type.Literal(1),
  executor_id: idSchema('executor'),
  tenant_id: idSchema('tenant'),
  image_id: idSchema('image'),
  claim: Type.Integer({ minimum: 1 }),
  log: Type.String({ maxLength: IMAGE_LOG_CHARS_MAX }),
} as const;
/** executor → kernel: `kernel.image.renew` → ImageRenewReply, several times in a lease. */
export const ImageRenewRequest = Type.Object(Claimed, closed);
export type ImageRenewRequest = Static<typeof ImageRenewRequest>;
/** `alive` false: the image was removed, or another executor has it. Then the work MUST stop. */
export const ImageRenewReply = Type.Object({ v: Type.Literal(1), alive: Type.Boolean() }, closed);
export type ImageRenewReply = Static<typeof ImageRenewReply>;
/**
 * executor → kernel: `kernel.image.release` → ImageRenewReply: the executor gives the image back, because its engine
 * failed or it stops. Another executor has it next: at once if this one stops, and after a pause otherwise.
 */
export const ImageReleaseRequest = Type.Object({ ...Claimed, stopping: Type.Boolean() }, closed);
export type ImageReleaseRequest = Static<typeof ImageReleaseRequest>;
/** executor → kernel: `kernel.image.finish` → ImageRenewReply. Exactly one of digest and problem is set. */
export const ImageFinishRequest = Type.Object(
  { ...Claimed, image_digest: orNull(ImageDigest), problem: orNull(Type.String({ maxLength: 2048 })) },
  closed,
);
export type ImageFinishRequest = Static<typeof ImageFinishRequest>;
