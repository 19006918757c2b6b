// SPDX-License-Identifier: Apache-2.0
// Makes an image of a tenant runnable: adds the agent of the deployment's sandbox image to it.
// INVARIANT (nothing of it runs): files are written into a container that never starts. No program of the image, no
// entry point and no trigger of it runs before the first call does, inside a sandbox.
import type Docker from 'dockerode';
import { ImageError } from '@writ/sandbox/images';
import { SANDBOX_UID } from '@writ/sandbox-host';
import { rejectedBy } from './build-size.ts';
import { copyFolder, hasEntry, putEntries, textOfFile, type ImageEntry } from './image-files.ts';

/**
 * Runnable images are found by their name here, which says of what they were made and whose agent they have. No image
 * that comes from elsewhere can take a name, as it could a label.
 */
const REPOSITORY = 'writ/runnable';
/** Enough hexadecimal digits to tell images of one engine apart. */
const SHORT = 32;
const AGENT_FOLDER = '/opt/writ';
const NODE_PLACES = ['/usr/local/bin/node', '/usr/bin/node'];

export interface ImageBounds {
  /** of an image with all its layers */
  readonly bytesMax: number;
  /** of fetching or building one */
  readonly wallMs: number;
}

export interface RunnableParts {
  readonly docker: Docker;
  /** the sandbox image of the deployment, which has the agent */
  readonly sandboxImage: string;
  readonly bounds: ImageBounds;
  /** labels of the containers that are made on the way, by which they are swept */
  readonly labels: Readonly<Record<string, string>>;
}

/** Nothing but the agent starts in it, and nothing of its own is inherited. */
const CHANGES = [
  'ENTRYPOINT ["/opt/writ/agent"]',
  'CMD []',
  'ENV HOME=/tmp',
  `USER ${SANDBOX_UID}:${SANDBOX_UID}`,
  'WORKDIR /workspace',
];

/**
 * The id of the runnable image of an image that the engine has; made once and found again. @throws ImageError for an
 * image that no call may run in
 */
export async function runnableImage(image: string, parts: RunnableParts): Promise<string> {
  const { docker, sandboxImage, bounds } = parts;
  const base = await inspectOf(docker, image);
  verifyUsable(base, bounds);
  return base.Id === sandboxImage ? base.Id : await withAgent(base.Id, parts);
}

/** The text of an image's list of users. */
export const passwdOf = async (image: string, parts: RunnableParts): Promise<string> =>
  await withContainer(parts, image, (container) => textOfFile(container, '/etc/passwd'));

/** The engine's description of an image. @throws ImageError where it hasn't got it */
export async function inspectOf(docker: Docker, image: string): Promise<Docker.ImageInspectInfo> {
  const found = await findImage(docker, image);
  if (found === null) throw new ImageError(`the engine here has no image \`${image}\``);
  return found;
}

/** The engine's description of an image; null where it hasn't got it. */
export async function findImage(docker: Docker, image: string): Promise<Docker.ImageInspectInfo | null> {
  try {
    return await docker.getImage(image).inspect();
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return null;
    throw error;
  }
}

function verifyUsable({ Os, Size, Config }: Docker.ImageInspectInfo, { bytesMax }: ImageBounds): void {
  if (Os !== 'linux') throw new ImageError(`the image is for \`${Os}\`, and calls run on Linux`);
  if (Size > bytesMax) throw new ImageError(`the image has ${Size} bytes, and one may have ${bytesMax}`);
  // The engine would make a folder on its disk for each, writable and without a limit.
  if (Object.keys(Config.Volumes ?? {}).length > 0)
    throw new ImageError('the image declares volumes, which a sandbox has none of');
}

async function withAgent(base: string, parts: RunnableParts): Promise<string> {
  const until = AbortSignal.timeout(parts.bounds.wallMs);
  const found = await findImage(parts.docker, `${REPOSITORY}:${tagOf(base, parts)}`);
  if (found !== null) return found.Id;
  const made = await withContainer(parts, base, async (container) => {
    const making = layAgent(container, parts).then(() => commit(container, {}, until));
    return await Promise.race([making, rejectedBy(until)]);
  });
  await nameRunnable(made, base, parts);
  return made;
}

/** Marks an image as the runnable one of a base: of itself, where it was made with the agent. */
export async function nameRunnable(made: string, base: string, parts: RunnableParts): Promise<void> {
  await parts.docker.getImage(made).tag({ repo: REPOSITORY, tag: tagOf(base, parts) });
}

const tagOf = (base: string, { sandboxImage }: RunnableParts): string =>
  [base, sandboxImage].map((id) => id.slice('sha256:'.length).slice(0, SHORT)).join('-');

/** Writes the agent, its user and its folders into a container that has not started, or has stopped. */
export async function layAgent(container: Docker.Container, parts: RunnableParts): Promise<void> {
  await putEntries(container, [
    { name: 'workspace', type: 'directory', mode: 0o755 },
    { name: 'opt', type: 'directory', mode: 0o755 },
    { name: 'tmp', type: 'directory', mode: 0o1777 },
    ...(await accountEntries(container)),
    ...((await hasAny(container, NODE_PLACES))
      ? []
      : [
          { name: 'usr/local/bin', type: 'directory', mode: 0o755 } as const,
          { name: 'usr/local/bin/node', type: 'symlink', linkname: `${AGENT_FOLDER}/node` } as const,
        ]),
  ]);
  await withContainer(parts, parts.sandboxImage, (source) => copyFolder(source, container, AGENT_FOLDER));
}

/** The image of a container's files. Resolves with its id. The engine gives up where the signal aborts. */
export async function commit(
  container: Docker.Container,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const named = Object.entries(labels).map(([name, value]) => `LABEL ${name}=${value}`);
  const changes = [...CHANGES, ...named].join('\n');
  const made = (await container.commit({ changes, pause: true, abortSignal: signal })) as { readonly Id: string };
  return made.Id;
}

/** A container that never starts; it is removed when `use` has settled. */
export async function withContainer<T>(
  { docker, labels }: Pick<RunnableParts, 'docker' | 'labels'>,
  image: string,
  use: (container: Docker.Container) => Promise<T>,
): Promise<T> {
  const container = await docker.createContainer({
    Image: image,
    Labels: { ...labels },
    Entrypoint: ['/opt/writ/agent'],
    Cmd: [],
    NetworkDisabled: true,
    HostConfig: { NetworkMode: 'none' },
  });
  try {
    return await use(container);
  } finally {
    await container.remove({ force: true, v: true }).catch(() => undefined);
  }
}

const hasAny = async (container: Docker.Container, paths: readonly string[]): Promise<boolean> =>
  (await Promise.all(paths.map((path) => hasEntry(container, path)))).includes(true);

/** The user of sandboxes, and git's permission to read a workspace that another user owns. */
async function accountEntries(container: Docker.Container): Promise<ImageEntry[]> {
  const [passwd = '', group = '', git = ''] = await Promise.all(
    ['/etc/passwd', '/etc/group', '/etc/gitconfig'].map((path) => textOfFile(container, path)),
  );
  const entries: ImageEntry[] = [];
  const add = (name: string, before: string, line: string, has: boolean): void => {
    if (has) return;
    const text = before === '' || before.endsWith('\n') ? before : `${before}\n`;
    entries.push({ name, type: 'file', mode: 0o644, text: `${text}${line}` });
  };
  const user = `sandbox:x:${SANDBOX_UID}`;
  add('etc/passwd', passwd, `${user}:${SANDBOX_UID}:sandbox:/tmp:/bin/bash\n`, /^sandbox:/m.test(passwd));
  add('etc/group', group, `${user}:\n`, /^sandbox:/m.test(group));
  add('etc/gitconfig', git, '[safe]\n\tdirectory = /workspace\n', git.includes('directory = /workspace'));
  return entries;
}
