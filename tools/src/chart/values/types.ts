// SPDX-License-Identifier: Apache-2.0
// Types of values that occur in several places of the schema.
import { Type, type TProperties, type TSchema } from 'typebox';

const closed = { additionalProperties: false } as const;

/** An object whose members may all be left out, since values.yaml has them, and that has no others. */
export const Values = (members: TProperties) => Type.Partial(Type.Object(members), closed);

export const Flag = Type.Boolean();
export const Text = Type.String();
export const Count = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
export const Labels = Type.Record(Type.String(), Type.String());

/** Whatever Kubernetes' own schema allows there: the API server checks it. */
export const KubeObject = Type.Record(Type.String(), Type.Unknown());
export const KubeList = Type.Array(KubeObject);

/** A text that may be left empty, or is of the pattern. */
export const Optional = (pattern: string): TSchema => Type.String({ pattern: `^$|${pattern}` });

/** A URL of HTTP with a host that a URL parser reads: what a template can't parse it ends with an error of its own. */
export const httpUrl = (scheme: 'http' | 'https?'): string =>
  `^${scheme}://([A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]{1,5})?([/?][^\\s\"<>\\\\^\`{|}]*)?$`;

export const Digest = Optional('^sha256:[0-9a-f]{64}$');
export const Name = Optional('^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$');
/** Of an Ingress or a route. */
export const HostName = Type.String({ pattern: '^(\\*\\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$' });
export const FileName = Type.String({ pattern: '^[A-Za-z0-9._-]{1,253}$' });
export const Bytes = Optional('^[0-9]+(\\.[0-9]+)?(Ki|Mi|Gi|Ti|k|M|G|T)?$');
export const LogLevel = Optional('^(trace|debug|info|warn|error|fatal|silent)$');

const Amounts = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]));
export const Resources = Values({ requests: Amounts, limits: Amounts });
export { Amounts };

const PullPolicy = Type.Enum(['Always', 'IfNotPresent', 'Never']);
/** The chart's templates refuse a registry in it, in a sentence. */
const Repository = Type.String({ minLength: 1 });
const Tag = Optional('^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$');
const reference = { registry: Text, repository: Repository, tag: Tag, digest: Digest };

export const SandboxImage = Values({ ...reference, id: Digest });
export const Image = Values({ ...reference, pullPolicy: PullPolicy });

const Id = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]);
export const Ids = Values({ runAsUser: Id, runAsGroup: Id, fsGroup: Id });

export const Volume = Values({ enabled: Flag, storageClassName: Text, size: Bytes });
export const ConfigMapKey = { configMap: Name, key: FileName };
export const Port = Count(1, 65_535);
