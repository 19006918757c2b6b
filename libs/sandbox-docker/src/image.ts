// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { pack, type Pack } from 'tar-stream';
import { SANDBOX_UID } from '@writ/sandbox-host';
import { agentRuntime, COMPILE, withAgentProgram } from './agent-program.ts';
import { engineTask } from './engine-task.ts';

export interface SandboxImageSource {
  readonly docker: Docker;
  /** reference of the base image: any Linux with bash */
  readonly base: string;
  /** a node binary that runs in the base image; scripts run on it, and it is on the PATH of jobs */
  readonly nodeBinaryPath: string;
  /** the folder of npm's package, which runs on that node; absent: none is added */
  readonly npmPath?: string;
  readonly agentBundlePath: string;
  /** the bundle of the script interpreter, which the agent starts */
  readonly interpreterBundlePath: string;
  /** name for the result, for example `writ-sandbox:local` */
  readonly reference: string;
}

export interface SandboxImage {
  readonly reference: string;
  /** the image's id, `sha256:…` */
  readonly digest: string;
  /** false when an image of the same inputs existed */
  readonly built: boolean;
}

const AGENT_LABEL = 'writ.agent';
const INPUTS_LABEL = 'writ.inputs';

/**
 * Adds the agent to a base image, with a user for it and its job, and returns the image to start. Does nothing when the
 * reference already names an image of the same inputs. Rejects with the engine's message when the base is missing or
 * the build fails.
 */
export async function buildSandboxImage(source: SandboxImageSource): Promise<SandboxImage> {
  const { docker, reference, nodeBinaryPath, npmPath, agentBundlePath, interpreterBundlePath } = source;
  const runtime = agentRuntime();
  const base = await docker.getImage(source.base).inspect();
  const agentHash = await hashOfFile(agentBundlePath);
  const hashes = [agentHash, ...(await Promise.all([interpreterBundlePath, runtime, nodeBinaryPath].map(hashOfFile)))];
  const npm = npmPath === undefined ? [] : await filesOfNpm(npmPath);
  const recipe = dockerfile(source.base, agentHash, npm.length > 0);
  const inputs = createHash('sha256')
    .update(JSON.stringify([base.Id, ...hashes, COMPILE, recipe, await Promise.all(npm.map(digestOf))]))
    .digest('hex');

  const present = await inspectOrNull(docker, reference);
  if (present?.Config.Labels?.[INPUTS_LABEL] === inputs) return { reference, digest: present.Id, built: false };

  await withAgentProgram(runtime, agentBundlePath, async (program) => {
    const context = pack();
    const filled = fill(context, recipe, [
      { name: 'mk8.js', mode: 0o644, path: interpreterBundlePath },
      { name: 'agent', mode: 0o755, path: program },
      { name: 'node', mode: 0o755, path: nodeBinaryPath },
      ...npm,
    ]);
    filled.catch((error: Error) => context.destroy(error));
    const stream = await docker.buildImage(Readable.from(context), {
      t: reference,
      networkmode: 'none',
      labels: { [INPUTS_LABEL]: inputs },
      forcerm: true,
    });
    await Promise.all([filled, finished(docker, stream)]);
  });
  return { reference, digest: (await docker.getImage(reference).inspect()).Id, built: true };
}

/** A file of the build context. */
interface ContextFile {
  readonly name: string;
  readonly mode: number;
  readonly path: string;
}

/** Folders of npm's package that no program reads. */
const NPM_LEFT_OUT: ReadonlySet<string> = new Set(['docs', 'man']);

/** The files of npm's package, in one order on every machine. */
async function filesOfNpm(folder: string): Promise<readonly ContextFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !NPM_LEFT_OUT.has(path.split('/', 1)[0] ?? ''))
    .sort()
    .map((path) => ({ name: `npm/${path}`, mode: path.startsWith('bin/') ? 0o755 : 0o644, path: join(folder, path) }));
}

const digestOf = async ({ name, mode, path }: ContextFile): Promise<readonly [string, number, string]> => [
  name,
  mode,
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex'),
];

/**
 * npm beside our node; a base image's own one has precedence. It doesn't look for newer versions of itself: a job can't
 * change its image.
 */
const NPM_STEPS: readonly string[] = [
  'COPY npm /opt/writ/npm',
  `RUN printf 'update-notifier=false\\nfund=false\\n' > /opt/writ/npm/npmrc \\`,
  ' && for name in npm npx; do command -v $name > /dev/null || ln -s /opt/writ/npm/bin/$name-cli.js /usr/local/bin/$name; done',
];

/** Plain steps of the classic builder, so that any engine can run them. They download nothing. */
function dockerfile(base: string, agentHash: string, hasNpm: boolean): string {
  return [
    `FROM ${base}`,
    'USER 0:0',
    // Without useradd, which some images lack; skipped for images that have the user already.
    `RUN { grep -q '^sandbox:' /etc/passwd || echo 'sandbox:x:${SANDBOX_UID}:${SANDBOX_UID}:sandbox:/tmp:/bin/bash' >> /etc/passwd; } \\`,
    ` && { grep -q '^sandbox:' /etc/group || echo 'sandbox:x:${SANDBOX_UID}:' >> /etc/group; } \\`,
    ' && mkdir -p /workspace /opt/writ /usr/local/bin \\',
    // A pod's volumes belong to root, and git refuses another owner's directory unless it is configured as safe.
    " && { grep -qs 'directory = /workspace' /etc/gitconfig || printf '[safe]\\n\\tdirectory = /workspace\\n' >> /etc/gitconfig; }",
    'COPY node /opt/writ/node',
    // Jobs find our version of node by name; a base image's own one has precedence.
    'RUN command -v node > /dev/null || ln -s /opt/writ/node /usr/local/bin/node',
    ...(hasNpm ? NPM_STEPS : []),
    'COPY agent /opt/writ/agent',
    'COPY mk8.js /opt/writ/mk8.js',
    // The interpreter starts for each script, from a snapshot taken after its modules were loaded. Without V8's code
    // cache, which another processor may reject.
    `RUN cd /opt/writ && echo '{"builder":"mk8.js","withoutCodeCache":true}' > mk8.json && NODE_NO_WARNINGS=1 ./node --snapshot-blob mk8.blob --build-snapshot-config mk8.json && rm mk8.json`,
    'ENV HOME=/tmp',
    `USER ${SANDBOX_UID}:${SANDBOX_UID}`,
    'WORKDIR /workspace',
    `LABEL ${AGENT_LABEL}=${agentHash}`,
    'ENTRYPOINT ["/opt/writ/agent"]',
    'CMD []',
    '',
  ].join('\n');
}

async function fill(context: Pack, recipe: string, files: readonly ContextFile[]): Promise<void> {
  context.entry({ name: 'Dockerfile' }, recipe);
  for (const { name, mode, path } of files) {
    const { size } = await stat(path);
    await pipeline(createReadStream(path), context.entry({ name, mode, size }));
  }
  context.finalize();
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function inspectOrNull(docker: Docker, reference: string): Promise<Docker.ImageInspectInfo | null> {
  try {
    return await docker.getImage(reference).inspect();
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return null;
    throw error;
  }
}

async function finished(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  try {
    await engineTask(docker, stream);
  } catch (cause) {
    throw new Error(`the sandbox image can't be built: ${(cause as Error).message}`, { cause });
  }
}
