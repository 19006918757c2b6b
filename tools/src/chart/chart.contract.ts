// SPDX-License-Identifier: Apache-2.0
// Shared by the specs of the chart: its examples, each rendered once.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findChartTools, NO_CHART_TOOLS, type ChartTools } from './chart-tools.ts';
import { podsOf, type Pod } from './pods.ts';
import { CHART, renderObjects, type KubeObject, type Values } from './render.ts';

const found = findChartTools(process.env);

/** A suite that needs helm; without it, it is skipped, with the reason in its name. */
export const describeChart = (name: string, specs: () => void): void => {
  describe.skipIf(found === null)(found === null ? `${name} (${NO_CHART_TOOLS})` : name, specs);
};

/** The programs of the set-up. Only within `describeChart`. */
export const chartTools = (): ChartTools => {
  if (found === null) throw new Error(NO_CHART_TOOLS);
  return found;
};

/** The chart's example values files, by name. */
export const EXAMPLES = readdirSync(join(CHART, 'ci'))
  .filter((file) => file.endsWith('-values.yaml'))
  .sort();
export const exampleFile = (name: string): string => join(CHART, 'ci', name);

const rendered = new Map<string, KubeObject[]>();

/** The objects of an example, rendered once per process. */
export function objectsOf(example: string, isUpgrade = false): KubeObject[] {
  const key = `${example} ${String(isUpgrade)}`;
  const objects =
    rendered.get(key) ?? renderObjects({ helm: chartTools().helm, files: [exampleFile(example)], isUpgrade });
  rendered.set(key, objects);
  return objects;
}

export const SMALL = 'small-values.yaml';
export const PRODUCTION = 'production-values.yaml';

/** Renders the smallest example with overriding values. @throws RenderError */
export const renderSmall = (values: Values): KubeObject[] =>
  renderObjects({ helm: chartTools().helm, files: [exampleFile(SMALL)], values });

export const examplePods = (example: string): Pod[] => podsOf(objectsOf(example));

/** The object of that kind and name. @throws Error where it is missing */
export function objectOf(objects: readonly KubeObject[], kind: string, name: string): KubeObject {
  const object = objects.find((each) => each.kind === kind && each.metadata.name === name);
  if (object === undefined) throw new Error(`there is no ${kind} \`${name}\``);
  return object;
}
