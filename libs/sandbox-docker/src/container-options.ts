// SPDX-License-Identifier: Apache-2.0
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { AGENT_VARIABLES, SANDBOX_UID, type ContainerSpec } from '@writ/sandbox-host';
import { SYSTEM_CALLS } from './system-calls.ts';

/**
 * More files than in the largest workspace and its build, and far fewer than would fill the kernel's memory with
 * inodes.
 */
const INODES = 250_000;
/** Enough for a test suite that opens every file; a leak of descriptors soon reaches it. */
const OPEN_FILES = 4096;

/** The engine receives the profile itself instead of a file name, since it may run on another machine. */
const SECCOMP = `seccomp=${JSON.stringify(SYSTEM_CALLS)}`;

export interface DockerContainerSpec extends ContainerSpec {
  /** the engine's runtime, for example `runsc`; absent: the engine's default */
  readonly runtime?: string;
}

/**
 * All isolation options of a container. Root is read-only; mounting, changing owners and raising privileges are
 * impossible; the only network is loopback. The stream is attached before the start, and stdin closes with it, so that
 * the agent notices the death of its executor.
 */
export function containerOptions({ image, size, labels, runtime, user }: DockerContainerSpec): ContainerCreateOptions {
  const { uid, gid } = user ?? { uid: SANDBOX_UID, gid: SANDBOX_UID };
  const tmpfs = `rw,exec,nosuid,nodev,size=${size.tmpfsBytes},nr_inodes=${INODES},uid=${uid},gid=${gid}`;
  return {
    Image: image,
    Labels: { ...labels },
    User: `${uid}:${gid}`,
    WorkingDir: '/workspace',
    Env: Object.entries(AGENT_VARIABLES).map(([name, value]) => `${name}=${value}`),
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    HostConfig: {
      // The job sees its own limits and no names of the host's groups; the client's types lack the field.
      ...({ CgroupnsMode: 'private' } as HostConfig),
      AutoRemove: true,
      // The engine's own init, which is process 1, reaps orphans of the job.
      Init: true,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Privileged: false,
      SecurityOpt: ['no-new-privileges:true', SECCOMP],
      IpcMode: 'private',
      Memory: size.memoryBytes,
      MemorySwap: size.memoryBytes,
      NanoCpus: Math.round(size.cpus * 1e9),
      PidsLimit: size.pids,
      Tmpfs: { '/workspace': `${tmpfs},mode=0700`, '/tmp': `${tmpfs},mode=1777` },
      Ulimits: [
        { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      // Output travels over the attached stream; a copy on the host's disk would be unbounded.
      LogConfig: { Type: 'none', Config: {} },
      ...(runtime === undefined ? {} : { Runtime: runtime }),
    },
  };
}
