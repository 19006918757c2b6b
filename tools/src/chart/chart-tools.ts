// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureGoTools, goToolPath } from '../go-tools/ensure.ts';
import { GO_TOOLS } from '../go-tools/table.ts';
import { defaultStateDir, type Setup } from '../setup.ts';
import { ensureKubeSchemas, kubeSchemasPath } from './kube-schemas.ts';

/** Absolute paths of the programs that check the chart. */
export interface ChartTools {
  readonly helm: string;
  readonly kubeconform: string;
  readonly kubeScore: string;
  /** the folder of JSON schemas for `kubeconform` */
  readonly schemas: string;
}

const NAMES = ['helm', 'kubeconform', 'kube-score'] as const;

/**
 * Builds the programs that check the chart, unless they exist. The first time takes minutes.
 *
 * @throws SetupError where Go is missing, or a module can't be downloaded
 */
export async function ensureChartTools(setup: Pick<Setup, 'cacheDir' | 'report' | 'env'>): Promise<ChartTools> {
  const tools = await ensureGoTools(NAMES, setup);
  return {
    helm: tools.helm,
    kubeconform: tools.kubeconform,
    kubeScore: tools['kube-score'],
    schemas: await ensureKubeSchemas(setup),
  };
}

/** The programs that {@link ensureChartTools} has built, without building any; null where one is missing. */
export function findChartTools(env: Setup['env']): ChartTools | null {
  const cacheDir = join(defaultStateDir(env), 'cache');
  const [helm, kubeconform, kubeScore] = NAMES.map((name) => goToolPath(cacheDir, name, GO_TOOLS[name])) as [
    string,
    string,
    string,
  ];
  const tools = { helm, kubeconform, kubeScore, schemas: kubeSchemasPath(cacheDir) };
  return Object.values(tools).every((path) => existsSync(path)) ? tools : null;
}

/** The reason in the name of a skipped spec. */
export const NO_CHART_TOOLS = 'skipped: helm and what checks charts are missing, `npm test -- --only chart` makes them';
