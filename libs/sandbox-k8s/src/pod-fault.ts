// SPDX-License-Identifier: Apache-2.0
/**
 * Compares a pod that another process created with the one that this driver would have created.
 *
 * INVARIANT (unknown is refused): every field either has the driver's own value, or is listed in a table below. A field
 * that a later Kubernetes adds, or that a webhook sets, is a fault until a person has reviewed it.
 */
import type { V1ObjectMeta, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { SANDBOX_GROUP } from './agent-sandbox.ts';
import { nanosOf } from './quantity.ts';

export interface ExpectedPod {
  readonly spec: V1PodSpec;
  /** labels by which network policies and watches select it */
  readonly labels: Readonly<Record<string, string>>;
  /** the Sandbox that it belongs to */
  readonly sandbox: string;
}

/** Why a pod isn't a sandbox, as a text for operators; null where it is one. */
export function podFault({ metadata, spec }: V1Pod, expected: ExpectedPod): string | null {
  return (
    ownerFault(metadata, expected.sandbox) ??
    labelFault(metadata, expected.labels) ??
    valueFault(spec, expected.spec, 'spec')
  );
}

function ownerFault(metadata: V1ObjectMeta | undefined, sandbox: string): string | null {
  const owners = (metadata?.ownerReferences ?? []).filter(({ controller }) => controller === true);
  const isOurs = owners.some(
    ({ apiVersion, kind, name }) =>
      apiVersion.startsWith(`${SANDBOX_GROUP}/`) && kind === 'Sandbox' && name === sandbox,
  );
  return isOurs ? null : `no Sandbox \`${sandbox}\` owns it`;
}

function labelFault(metadata: V1ObjectMeta | undefined, labels: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(labels)) {
    const has = metadata?.labels?.[name];
    if (has !== value) return `its label \`${name}\` is ${shown(has)}, not ${shown(value)}`;
  }
  return null;
}

type Permits = (value: unknown) => boolean;
const any: Permits = () => true;
const is =
  (...values: readonly unknown[]): Permits =>
  (value) =>
    values.includes(value);

/**
 * Fields that the driver does not set, by their path. The API server sets some, to the values given here. Others choose
 * the node and the scheduling order, which is up to the cluster.
 */
const PERMITTED: Readonly<Record<string, Readonly<Record<string, Permits>>>> = {
  spec: {
    // No token is mounted, so the account is only a name.
    serviceAccountName: any,
    serviceAccount: any,
    schedulerName: any,
    nodeName: any,
    nodeSelector: any,
    affinity: any,
    topologySpreadConstraints: any,
    tolerations: any,
    priority: any,
    priorityClassName: any,
    preemptionPolicy: any,
    // Overhead that a RuntimeClass adds for itself.
    overhead: any,
  },
  'spec.containers[]': { terminationMessagePath: is('/dev/termination-log'), terminationMessagePolicy: is('File') },
  'spec.containers[].securityContext': { procMount: is('Default') },
};

/** Fields that a server omits where they are false. */
const FALSE_IF_ABSENT: ReadonlySet<string> = new Set(['hostNetwork', 'hostPID', 'hostIPC', 'tty', 'privileged']);
/** Fields where a server normalizes quantities: `1000m` as `1`. */
const AMOUNT = /\.(?:limits|requests)\.[a-z-]+$|\.sizeLimit$/;

function valueFault(value: unknown, expected: unknown, path: string): string | null {
  if (Array.isArray(expected)) return listFault(value, expected, path);
  if (typeof expected === 'object' && expected !== null) return objectFault(value, expected, path);
  const isSame = AMOUNT.test(path) ? isSameAmount(value, expected) : value === expected;
  return isSame ? null : differs(path, value, expected);
}

function listFault(value: unknown, expected: readonly unknown[], path: string): string | null {
  if (!Array.isArray(value) || value.length !== expected.length) return differs(path, value, expected);
  for (const [index, each] of expected.entries()) {
    const fault = valueFault(value[index], each, `${path}[${index}]`);
    if (fault !== null) return fault;
  }
  return null;
}

function objectFault(value: unknown, expected: object, path: string): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return differs(path, value, expected);
  const [has, wants] = [value as Record<string, unknown>, expected as Record<string, unknown>];
  const beside = PERMITTED[path.replaceAll(/\[\d+\]/g, '[]')] ?? {};
  for (const [name, each] of Object.entries(has)) {
    if (each === undefined || wants[name] !== undefined || beside[name]?.(each) === true) continue;
    return `\`${path}.${name}\` is ${shown(each)}, which no sandbox has`;
  }
  for (const [name, each] of Object.entries(wants)) {
    if (each === undefined || (each === false && has[name] === undefined && FALSE_IF_ABSENT.has(name))) continue;
    const fault = valueFault(has[name], each, `${path}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

/** Two values that aren't quantities never count as equal. */
function isSameAmount(value: unknown, expected: unknown): boolean {
  const nanos = nanosOf(value);
  return nanos !== null && nanos === nanosOf(expected);
}

const differs = (path: string, value: unknown, expected: unknown): string =>
  `\`${path}\` is ${shown(value)}, not ${shown(expected)}`;

/** Enough to recognise it. */
const SAID_CHARACTERS_MAX = 200;

const shown = (value: unknown): string =>
  value === undefined ? 'not set' : `\`${JSON.stringify(value).slice(0, SAID_CHARACTERS_MAX)}\``;
