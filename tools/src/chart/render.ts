// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { KUBERNETES_VERSION } from '../go-tools/table.ts';
import { checkout } from '../setup.ts';

/** Where the chart lies. */
export const CHART = join(checkout, 'helm', 'writ');

/** The release that everything is rendered as. */
export const RELEASE = 'w';
export const NAMESPACE = 'writ';

/** An object of Kubernetes, as far as every one has the same members. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly [member: string]: unknown;
}
export type Labels = Readonly<Record<string, string>>;

/** Values of the chart, as they would stand in a file. */
export type Values = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  /** Path of `helm`. */
  readonly helm: string;
  /** The chart's folder; that of this checkout unless given. */
  readonly chart?: string;
  /** Files of values, the later over the earlier. */
  readonly files?: readonly string[];
  /** Values over those of the files. */
  readonly values?: Values;
  /** As an upgrade, not as an installation. */
  readonly isUpgrade?: boolean;
  /** The namespace of the release. */
  readonly namespace?: string;
  /** Templates by their names below `templates/`, without the ending; all unless given. */
  readonly only?: readonly string[];
}

/** What helm said in place of a chart. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}

/** The text that helm renders. @throws RenderError with what helm says */
export function renderText(options: RenderOptions): string {
  const { helm, chart = CHART, files = [], values = {}, isUpgrade = false, namespace = NAMESPACE, only = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'writ-chart-'));
  try {
    const over = join(folder, 'values.yaml');
    writeFileSync(over, stringify(values, { version: '1.1' }));
    const args = [
      'template',
      RELEASE,
      chart,
      '--namespace',
      namespace,
      '--kube-version',
      KUBERNETES_VERSION,
      ...[...files, over].flatMap((file) => ['--values', file]),
      ...(isUpgrade ? ['--is-upgrade'] : []),
      ...only.flatMap((name) => ['--show-only', `templates/${name}.yaml`]),
    ];
    const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (status !== 0) throw new RenderError(stderr.trim());
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The objects of a text of several documents. @throws Error where one isn't YAML, or says a name twice */
export function parseObjects(text: string): KubeObject[] {
  // As Kubernetes reads it: 0440 is octal.
  return parseAllDocuments(text, { uniqueKeys: true, version: '1.1' }).flatMap((document) => {
    if ('errors' in document && document.errors[0] !== undefined) throw document.errors[0];
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}

/** The objects that helm renders. @throws RenderError with what helm says */
export const renderObjects = (options: RenderOptions): KubeObject[] => parseObjects(renderText(options));
