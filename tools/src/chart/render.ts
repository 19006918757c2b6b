// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { KUBERNETES_VERSION } from '../go-tools/table.ts';
import { checkout } from '../setup.ts';

/** The chart's folder. */
export const CHART = join(checkout, 'helm', 'writ');

/** The release name in every rendering. */
export const RELEASE = 'w';
export const NAMESPACE = 'writ';

/** A Kubernetes object with the members that all have. */
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

/** Values of the chart, in the form of a values file. */
export type Values = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  /** Path of `helm`. */
  readonly helm: string;
  /** The chart's folder; this checkout's by default. */
  readonly chart?: string;
  /** Values files; later ones override earlier ones. */
  readonly files?: readonly string[];
  /** Values that override those of the files. */
  readonly values?: Values;
  /** Renders an upgrade, not an installation. */
  readonly isUpgrade?: boolean;
  /** The namespace of the release. */
  readonly namespace?: string;
  /** Templates by their names below `templates/`, without extension; all by default. */
  readonly only?: readonly string[];
}

/** Helm's error message. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}

/** The text that helm renders. @throws RenderError with helm's message */
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

/** The objects of a multi-document text. @throws Error for invalid YAML, and for a duplicate name */
export function parseObjects(text: string): KubeObject[] {
  // Kubernetes reads 0440 as octal.
  return parseAllDocuments(text, { uniqueKeys: true, version: '1.1' }).flatMap((document) => {
    if ('errors' in document && document.errors[0] !== undefined) throw document.errors[0];
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}

/** The objects that helm renders. @throws RenderError with helm's message */
export const renderObjects = (options: RenderOptions): KubeObject[] => parseObjects(renderText(options));
