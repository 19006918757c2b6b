// SPDX-License-Identifier: Apache-2.0
import { isId, RESOURCE_KINDS, ResourceView, type ResourceKind } from '@writ/contract';
import { CliError, usage } from '../cli-error.ts';
import type { Client } from '../http/client.ts';
import { readList } from '../http/lists.ts';

export const RESOURCES_PATH = '/v1/resources';

/** A kind, and the name of one resource of it; without a name all of the kind. */
export interface ResourceName {
  readonly kind: ResourceKind;
  readonly name: string | null;
}

/** Parses `KIND` or `KIND:NAME`. `KIND:*` is the kind. */
export function parseResourceName(text: string): ResourceName {
  const at = text.indexOf(':');
  const kind = parseKind(at < 0 ? text : text.slice(0, at));
  const name = at < 0 ? null : text.slice(at + 1);
  if (name === '')
    throw usage(`\`${text}\` names no resource: write \`${kind}:NAME\`, or \`${kind}\` for all of the kind`);
  return { kind, name: name === '*' ? null : name };
}

export function parseKind(text: string): ResourceKind {
  const kind = RESOURCE_KINDS.find((one) => one === text);
  if (kind === undefined) throw usage(`\`${text}\` is no kind of resource: write one of ${RESOURCE_KINDS.join(', ')}`);
  return kind;
}

/** Finds a resource by its id or as `KIND:NAME`. @throws CliError `resource.unknown` */
export async function findResource(client: Client, text: string): Promise<ResourceView> {
  if (isId('resource', text)) return await client.read(ResourceView, `${RESOURCES_PATH}/${text}`);
  const { kind, name } = parseResourceName(text);
  if (name === null) throw usage(`\`${text}\` is a kind: name one resource of it, such as \`${kind}:NAME\``);
  const {
    items: [resource],
  } = await readList(client, ResourceView, RESOURCES_PATH, { kind, name });
  if (resource === undefined)
    throw new CliError('resource.unknown', `there is no resource \`${text}\`, or this key may not see it`);
  return resource;
}
