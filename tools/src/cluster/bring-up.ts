// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureGoTools } from '../go-tools/ensure.ts';
import { logTail } from '../process/log-tail.ts';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import type { Plan } from '../steps.ts';
import { ensureNodeImages, type ImageArchive } from './images.ts';
import { ensureKubernetes, type KubernetesPrograms } from './kubernetes.ts';
import type { NodeBinaries } from './programs.ts';
import type { NodeFacts } from './start.ts';
import type { Message, Order } from './supervisor.ts';
import { ensureSystemPrograms, type SystemPrograms } from './system-programs.ts';

const PROGRAM = fileURLToPath(new URL('./supervisor.ts', import.meta.url));

/** Starts the supervisor, and shows its progress until the node is ready. */
const startSupervisor = async (setup: Setup, order: Order): Promise<NodeFacts> => {
  const logs = join(setup.stateDir, 'logs');
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, 'supervisor.log');
  const log = openSync(logFile, 'a', 0o600);
  // In another session, and without the mark by which the node's processes are found.
  const child = spawn(
    process.execPath,
    ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning', PROGRAM, JSON.stringify(order)],
    {
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      // Its requests stay in the node, which a user's proxy can't reach.
      env: { ...setup.env, [MARK]: undefined, NODE_USE_ENV_PROXY: undefined },
      cwd: '/',
    },
  );
  closeSync(log);
  return new Promise((resolve, reject) => {
    child.on('message', (message: Message) => {
      if ('line' in message) return setup.report(message.line);
      if ('failed' in message) return reject(new SetupError(message.failed, message.details));
      child.disconnect();
      child.unref();
      resolve(message.ready);
    });
    child.once('error', (error) =>
      reject(new SetupError(`the cluster's supervisor could not be started: ${error.message}`)),
    );
    child.once('exit', (code) =>
      reject(
        new SetupError(`the cluster's supervisor ended with status ${code}; the end of ${logFile}:`, logTail(logFile)),
      ),
    );
  });
};

/** Results of earlier steps for later ones, and of the last one for the caller. */
export interface Made {
  system?: SystemPrograms;
  kubernetes?: KubernetesPrograms;
  tools?: Readonly<Record<'coredns' | 'kube-router', string>>;
  images?: readonly ImageArchive[];
  facts?: NodeFacts;
}

const binariesOf = ({
  system,
  kubernetes,
  tools,
}: Required<Pick<Made, 'system' | 'kubernetes' | 'tools'>>): NodeBinaries => ({
  ...system,
  apiServer: kubernetes['kube-apiserver'],
  controllerManager: kubernetes['kube-controller-manager'],
  scheduler: kubernetes['kube-scheduler'],
  kubelet: kubernetes.kubelet,
  kubeProxy: kubernetes['kube-proxy'],
  kubectl: kubernetes.kubectl,
  kubeRouter: tools['kube-router'],
});

/** The steps that start a node, for a plan with others. */
export const nodePlan = (setup: Setup, made: Made): Plan => {
  // Marked, so that a clean-up finds running compilers.
  const options = (step: Setup) => ({
    cacheDir: setup.cacheDir,
    report: step.report,
    env: { ...setup.env, [MARK]: setup.stateId },
  });
  return [
    {
      title: 'Packages of Debian',
      run: async (step) => {
        made.system = await ensureSystemPrograms(step);
      },
    },
    {
      title: 'Kubernetes',
      run: async (step) => {
        made.kubernetes = await ensureKubernetes(options(step));
      },
    },
    {
      title: 'CoreDNS and kube-router',
      run: async (step) => {
        made.tools = await ensureGoTools(['coredns', 'kube-router'], options(step));
      },
    },
    {
      title: 'Images of the node',
      run: async () => {
        const { kubernetes, tools } = made as Required<Made>;
        made.images = await ensureNodeImages(setup.cacheDir, { pause: kubernetes.pause, coredns: tools.coredns });
      },
    },
    {
      title: 'Node',
      run: async (step) => {
        const all = made as Required<Made>;
        made.facts = await startSupervisor(step, {
          stateDir: setup.stateDir,
          cacheDir: setup.cacheDir,
          binaries: binariesOf(all),
          images: all.images,
        });
        return made.facts.apiUrl;
      },
    },
  ];
};
