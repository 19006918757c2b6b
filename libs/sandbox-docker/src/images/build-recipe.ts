// SPDX-License-Identifier: Apache-2.0
// Builds a recipe: packages that are added to an image, in a container of its own.
// INVARIANT (nothing of a tenant): the build's container has no workspace, no secret, no file of a tenant and no
// variable of this process. It has the names and versions of packages alone.
// INVARIANT (one way out): it has no network. Its only way out leads over the streams of the agent to `egress`, which
// admits the registries of the operator.
// INVARIANT (no shell): each step is a program with its arguments.
// INVARIANT (bounded): what the packages' own scripts write is measured while they run. Past the bound of images, past
// the time limit or at the signal, the build ends and its container is removed, also during a commit.
import type Docker from 'dockerode';
import type { SandboxEgress, SandboxJob } from '@writ/sandbox';
import { ImageError, type BuildPlan } from '@writ/sandbox/images';
import { perform, type AgentContainer } from '@writ/sandbox-host';
import { containerOptions } from '../container-options.ts';
import { Demux } from '../demux.ts';
import { startContainer } from '../start-container.ts';
import { boundBuild, rejectedBy, verifyBuildSize } from './build-size.ts';
import { commit, inspectOf, layAgent, nameRunnable, withContainer, type RunnableParts } from './runnable-image.ts';

/** What installing packages takes: owners and modes of files, and users that own them. Nothing of the host. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID'];
const SIZE = { memoryBytes: 2 * 1024 * 1024 * 1024, cpus: 1, pids: 512, tmpfsBytes: 512 * 1024 * 1024 };
/** Names the tenant of a built image: no other tenant may name that image. */
export const TENANT_LABEL = 'writ.image.tenant';
const RECIPE_LABEL = 'writ.image.recipe';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Says where its proxy is, and keeps the job, which the proxy lives as long as. */
const WAITS = ['/opt/writ/node', '-e', 'console.log(process.env.http_proxy); setInterval(() => {}, 60_000)'];

export interface RecipeBuild {
  /** the runnable image that the packages are added to */
  readonly base: string;
  readonly plan: BuildPlan;
  /** hex digest of the recipe */
  readonly digest: string;
  readonly tenantId: string;
  /** PEM of the registries' certificates; null: those of the image */
  readonly ca: string | null;
  readonly egress: SandboxEgress;
  readonly log: (text: string) => void;
}

/** Resolves with the id of the built image. @throws ImageError where a step fails or a bound is met */
export async function buildRecipe(build: RecipeBuild, parts: RunnableParts, signal: AbortSignal): Promise<string> {
  const timeout = AbortSignal.timeout(parts.bounds.wallMs);
  const until = AbortSignal.any([signal, timeout]);
  try {
    const installed = await installPackages(build, parts, until);
    try {
      return await finished(installed, build, parts, until);
    } finally {
      // Its layers stay, as those of the image that was made of it.
      await parts.docker
        .getImage(installed)
        .remove({ noprune: true })
        .catch(() => undefined);
    }
  } catch (error) {
    if (timeout.aborted) throw new ImageError(`the build took more than ${parts.bounds.wallMs} ms`, { cause: error });
    throw error;
  }
}

/** Runs the steps; resolves with the image of what they left. */
async function installPackages(build: RecipeBuild, parts: RunnableParts, signal: AbortSignal): Promise<string> {
  const { docker, labels, bounds } = parts;
  const spec = { image: build.base, size: SIZE, labels };
  const { Size: baseBytes } = await inspectOf(docker, build.base);
  const bound = { baseBytes, bytesMax: bounds.bytesMax };
  const agent = await startContainer(docker, spec, () => undefined, buildOptions(spec));
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  try {
    const container = docker.getContainer(agent.id);
    const installing = runSteps(agent, container, build, until).then(async () => {
      // An image that is too large is not even made.
      await verifyBuildSize(docker, container, bound);
      return await commit(container, {}, until);
    });
    return await Promise.race([installing, boundBuild(docker, container, bound, until)]);
  } catch (error) {
    // Scripts of packages run as root beside the agent, and can end it.
    if (isWithoutContainer(error))
      throw new ImageError("the build's container ended before its last step", { cause: error });
    throw error;
  } finally {
    ended.abort();
    await agent.remove();
  }
}

/** Whether the engine has no such container any more, or one that doesn't run. */
const isWithoutContainer = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && (error.statusCode === 404 || error.statusCode === 409);

async function runSteps(
  agent: AgentContainer,
  container: Docker.Container,
  build: RecipeBuild,
  signal: AbortSignal,
): Promise<void> {
  const env = proxyVariables(await proxyOf(agent, build, signal).url);
  for (const step of build.plan.steps) {
    build.log(`$ ${step.argv.join(' ')}\n`);
    const status = await runStep(container, step.argv, { ...env, ...step.env }, build.log, signal);
    if (status !== 0) throw new ImageError(`\`${step.argv[0] ?? ''}\` ended with status ${status}: see the log`);
  }
}

/** The result: with the agent laid anew, since programs of the packages ran as root beside it. */
async function finished(
  installed: string,
  build: RecipeBuild,
  parts: RunnableParts,
  signal: AbortSignal,
): Promise<string> {
  const { Size } = await inspectOf(parts.docker, installed);
  if (Size > parts.bounds.bytesMax)
    throw new ImageError(`the result has ${Size} bytes, and an image may have ${parts.bounds.bytesMax}`);
  return await withContainer(parts, installed, async (container) => {
    const labels = { [RECIPE_LABEL]: build.digest, [TENANT_LABEL]: build.tenantId };
    const making = layAgent(container, parts).then(() => commit(container, labels, signal));
    const made = await Promise.race([making, rejectedBy(signal)]);
    await nameRunnable(made, made, parts);
    return made;
  });
}

function buildOptions(spec: Parameters<typeof containerOptions>[0]): Docker.ContainerCreateOptions {
  const options = containerOptions(spec);
  const { SecurityOpt = [], ...host } = options.HostConfig ?? {};
  return {
    ...options,
    HostConfig: {
      ...host,
      ReadonlyRootfs: false,
      CapAdd: [...CAPABILITIES],
      // The engine's own filter: that of sandboxes forbids to change owners.
      SecurityOpt: (SecurityOpt as readonly string[]).filter((option) => !option.startsWith('seccomp=')),
    },
  };
}

/** Runs the job that keeps the proxy. */
function proxyOf(
  agent: AgentContainer,
  { plan, ca, egress }: RecipeBuild,
  signal: AbortSignal,
): { readonly url: Promise<string> } {
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  const texts = { ...plan.files, ...(ca === null ? {} : { 'ca.pem': ca }) };
  const job: SandboxJob = {
    image: '',
    command: '',
    argv: WAITS,
    cwd: '',
    env: {},
    files: Object.entries(texts).map(([path, text]) => ({ path, kind: 'file', mode: '644', bytes: Buffer.from(text) })),
    labels: {},
    egress,
    limits: { ...SIZE, wallMs: 2 ** 30, cpuMs: 2 ** 30, outputBytes: 4_096, deltaBytes: 0, deltaFiles: 0 },
    tap: ({ bytes }) => {
      said += Buffer.from(bytes).toString('latin1');
      const [line] = /^http:\/\/127\.0\.0\.1:\d+(?=\n)/.exec(said) ?? [];
      if (line !== undefined) resolve(line);
    },
  };
  perform(agent, job, signal, () => undefined).then(
    ({ ending }) => reject(new ImageError(`the build's container ended: ${ending.detail ?? ending.ended}`)),
    reject,
  );
  url.catch(() => undefined);
  return { url };
}

const proxyVariables = (url: string): Readonly<Record<string, string>> => ({
  PATH,
  HOME: '/root',
  LANG: 'C.UTF-8',
  http_proxy: url,
  https_proxy: url,
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
});

/** Runs one program as root of the container; resolves with its status. */
async function runStep(
  container: Docker.Container,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  log: (text: string) => void,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const exec = await container.exec({
    Cmd: [...argv],
    User: '0:0',
    WorkingDir: '/',
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
  });
  const stream = await exec.start({ hijack: true, stdin: false });
  const demux = new Demux(
    (bytes) => log(bytes.toString('utf8')),
    (bytes) => log(bytes.toString('utf8')),
  );
  const stop = () => stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) demux.push(chunk as Buffer);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return (await exec.inspect()).ExitCode ?? -1;
}
