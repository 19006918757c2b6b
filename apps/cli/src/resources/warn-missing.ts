// SPDX-License-Identifier: Apache-2.0
import { ImageView, RESOURCE_KINDS, ResourceView } from '@writ/contract';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { readList } from '../http/lists.ts';
import { RESOURCES_PATH } from './find-resource.ts';

/**
 * Says on stderr that a name leads nowhere yet. It is no error: profiles and tokens may name what is made later, and
 * calls are refused until then.
 */
const warn = (context: Context, what: string): void => {
  context.writeError(`warning: there is no ${what} yet: calls that need it are refused until it is made\n`);
};

/** Warns about the image of a profile if the tenant has none of that name. */
export async function warnOfMissingImage(context: Context, client: Client, name: string): Promise<void> {
  const found = client.read(ImageView, `/v1/images/${encodeURIComponent(name)}`);
  if (!(await exists(found.then(() => true)))) warn(context, `image \`${name}\``);
}

/** Whether something is there; a key that can't look it up, or a broken connection, is no reason to warn. */
async function exists(found: Promise<boolean>): Promise<boolean> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return error.code !== 'not_found';
  }
}

/** Warns about each resource of a token that does not exist; `KIND:*` is for those that are there. */
export async function warnOfMissingResources(
  context: Context,
  client: Client,
  resources: readonly string[],
): Promise<void> {
  for (const resource of resources) {
    const at = resource.indexOf(':');
    const [kind, name] = [RESOURCE_KINDS.find((one) => one === resource.slice(0, at)), resource.slice(at + 1)];
    if (kind === undefined || name === '*') continue;
    const found = readList(client, ResourceView, RESOURCES_PATH, { kind, name });
    if (!(await exists(found.then(({ items }) => items.length > 0)))) warn(context, `resource \`${resource}\``);
  }
}
