// SPDX-License-Identifier: Apache-2.0
// All of `npm run cluster`: a node with the images, and the chart installed and tested.
import type { ClusterNode } from '../cluster/node.ts';
import { ensureGoTool } from '../go-tools/ensure.ts';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import type { Plan } from '../steps.ts';
import { ensureReleaseImages, loadReleaseImages, type ReleaseImages } from './images.ts';
import { releaseOn, type Release } from './release.ts';

/** Results of earlier steps for later ones, and of the last one for the caller. */
export interface ReleaseMade {
  images?: ReleaseImages;
  helm?: string;
  release?: Release;
}

/** The steps up to a node with the images, and helm. Each uses results of earlier ones. */
export const preparePlan = (setup: Setup, node: ClusterNode, made: ReleaseMade): Plan => [
  {
    title: 'Images',
    run: async (step) => {
      made.images = await ensureReleaseImages(step);
    },
  },
  {
    title: 'Images in the node',
    run: async (step) => `${await loadReleaseImages(step, node, made.images as ReleaseImages)} loaded`,
  },
  {
    title: 'Helm',
    run: async ({ cacheDir, report }) => {
      made.helm = await ensureGoTool('helm', { cacheDir, report, env: { ...setup.env, [MARK]: setup.stateId } });
    },
  },
];

/** The steps that install the chart and test it. */
export const installPlan = (setup: Setup, node: ClusterNode, made: ReleaseMade): Plan => [
  {
    title: 'Chart',
    run: async () => {
      made.release = releaseOn(setup, node, made.helm as string, made.images as ReleaseImages);
      return `revision ${await made.release.install()}`;
    },
  },
  { title: 'helm test', run: async () => lastLine(await (made.release as Release).test()) },
];

/** The last log lines of the `helm test` pod. */
const lastLine = (logs: string): string => logs.trim().split('\n').at(-1) ?? '';
