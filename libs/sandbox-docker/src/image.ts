// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { pack, type Pack } from 'tar-stream';
import { SANDBOX_UID } from '@writ/sandbox-host';
import { agentRuntime, COMPILE, withAgentProgram } from './agent-program.ts';

export interface SandboxImageSource {
  readonly docker: Docker;
  /** reference of the image to build on: any Linux with bash */
  readonly base: string;
  /** a node binary that runs in the base image: scripts run on it, and jobs find it */
  readonly nodeBinaryPath: string;
  readonly agentBundlePath: string;
  /** of the interpreter of scripts, which the agent starts */
  readonly interpreterBundlePath: string;
  /** name for the result, `writ-sandbox:local` for example */
  readonly reference: string;
}

export interface SandboxImage {
  readonly reference: string;
  /** the image's id, `sha256:…` */
  readonly digest: string;
  /** false when an image of the same inputs was there */
  readonly built: boolean;
}

const AGENT_LABEL = 'writ.agent';
const INPUTS_LABEL = 'writ.inputs';

/**
 * Adds the agent to a base image, with a user for it and its job, and answers what to start. Does nothing when the
 * reference already names an image of the same inputs. Rejects with the engine's message when the base is not there or
 * the build fails.
 */
export async function buildSandboxImage(source: SandboxImageSource): Promise<SandboxImage> {
  const { docker, reference, nodeBinaryPath, agentBundlePath, interpreterBundlePath } = source;
  const runtime = agentRuntime();
  const base = await docker.getImage(source.base).inspect();
  const agentHash = await hashOfFile(agentBundlePath);
  const hashes = [agentHash, ...(await Promise.all([interpreterBundlePath, runtime, nodeBinaryPath].map(hashOfFile)))];
  const recipe = dockerfile(source.base, agentHash);
  const inputs = createHash('sha256')
    .update(JSON.stringify([base.Id, ...hashes, COMPILE, recipe]))
    .digest('hex');

  const present = await inspectOrNull(docker, reference);
  if (present?.Config.Labels?.[INPUTS_LABEL] === inputs) return { reference, digest: present.Id, built: false };

  await withAgentProgram(runtime, agentBundlePath, async (program) => {
    const context = pack();
    const filled = fill(context, recipe, [
      { name: 'mk8.js', mode: 0o644, path: interpreterBundlePath },
      { name: 'agent', mode: 0o755, path: program },
      { name: 'node', mode: 0o755, path: nodeBinaryPath },
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

/** Plain steps of the classic builder, so that any engine can follow them. Nothing is fetched. */
function dockerfile(base: string, agentHash: string): string {
  return [
    `FROM ${base}`,
    'USER 0:0',
    // By hand, for images without useradd; once, for images that have the user already.
    `RUN { grep -q '^sandbox:' /etc/passwd || echo 'sandbox:x:${SANDBOX_UID}:${SANDBOX_UID}:sandbox:/tmp:/bin/bash' >> /etc/passwd; } \\`,
    ` && { grep -q '^sandbox:' /etc/group || echo 'sandbox:x:${SANDBOX_UID}:' >> /etc/group; } \\`,
    ' && mkdir -p /workspace /opt/writ /usr/local/bin \\',
    // A pod's volumes are root's, and git works in nobody else's directory unless it is told to.
    " && { grep -qs 'directory = /workspace' /etc/gitconfig || printf '[safe]\\n\\tdirectory = /workspace\\n' >> /etc/gitconfig; }",
    'COPY node /opt/writ/node',
    // Jobs find a node of their own version by name; a base image's own one stays first.
    'RUN command -v node > /dev/null || ln -s /opt/writ/node /usr/local/bin/node',
    'COPY agent /opt/writ/agent',
    'COPY mk8.js /opt/writ/mk8.js',
    // Started for each script: from a snapshot of what it is once its modules were read. Without the engine's code
    // cache, which another processor may refuse.
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

async function fill(
  context: Pack,
  recipe: string,
  files: readonly { readonly name: string; readonly mode: number; readonly path: string }[],
): Promise<void> {
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

/** The engine answers 200 before it builds: whether the build worked stands in its last line. */
function finished(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null, lines: { error?: string }[] | null) => {
      const failure = error?.message ?? lines?.find((line) => line.error)?.error;
      if (failure === undefined) resolve();
      else reject(new Error(`the sandbox image can't be built: ${failure.trim()}`, { cause: error ?? undefined }));
    });
  });
}
