// SPDX-License-Identifier: Apache-2.0
// Types of values that the schema uses in several places.
import { Type, type TProperties, type TSchema } from 'typebox';

const closed = { additionalProperties: false } as const;

/** An object without other members, whose members are all optional, since values.yaml has them. */
export const Values = (members: TProperties) => Type.Partial(Type.Object(members), closed);

export const Flag = Type.Boolean();
export const Text = Type.String();
export const Count = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
export const Labels = Type.Record(Type.String(), Type.String());

/** Any value that Kubernetes' own schema allows: the API server checks it. */
export const KubeObject = Type.Record(Type.String(), Type.Unknown());
export const KubeList = Type.Array(KubeObject);

/** A text that is empty or matches the pattern. */
export const Optional = (pattern: string): TSchema => Type.String({ pattern: `^$|${pattern}` });

/** An HTTP URL with a host that a URL parser accepts: a template can't report a URL that it fails to parse. */
export const httpUrl = (scheme: 'http' | 'https?'): string =>
  `^${scheme}://([A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]{1,5})?([/?][^\\s\"<>\\\\^\`{|}]*)?$`;

export const Digest = Optional('^sha256:[0-9a-f]{64}$');
export const Name = Optional('^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$');
/** A host of an Ingress or a route. */
export const HostName = Type.String({ pattern: '^(\\*\\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$' });
export const FileName = Type.String({ pattern: '^[A-Za-z0-9._-]{1,253}$' });
export const Bytes = Optional('^[0-9]+(\\.[0-9]+)?(Ki|Mi|Gi|Ti|k|M|G|T)?$');
export const LogLevel = Optional('^(trace|debug|info|warn|error|fatal|silent)$');

const Amounts = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]));
export const Resources = Values({ requests: Amounts, limits: Amounts });
export { Amounts };

const PullPolicy = Type.Enum(['Always', 'IfNotPresent', 'Never']);
/** The chart's templates refuse a registry in it, with a message. */
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
