// SPDX-License-Identifier: Apache-2.0
/**
 * Compares a pod that somebody else made with the one that this driver would have made.
 *
 * INVARIANT (unknown is refused): every field is either the driver's own with the driver's value, or stands in a table
 * below. A field that a later Kubernetes adds, or that a webhook sets, is a fault until somebody has looked at it.
 */
import type { V1ObjectMeta, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { SANDBOX_GROUP } from './agent-sandbox.ts';
import { nanosOf } from './quantity.ts';

export interface ExpectedPod {
  readonly spec: V1PodSpec;
  /** labels that network policies and watches choose it by */
  readonly labels: Readonly<Record<string, string>>;
  /** the Sandbox that it is of */
  readonly sandbox: string;
}

/** Why a pod isn't a sandbox, in words for operators; null where it is one. */
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
    if (has !== value) return `its label \`${name}\` is ${said(has)}, not ${said(value)}`;
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
 * Fields that the driver leaves alone, by where they stand: those that the API server fills in, with what it fills in,
 * and those that say on which node a pod runs and in what order, which is its cluster's business.
 */
const BESIDE: Readonly<Record<string, Readonly<Record<string, Permits>>>> = {
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
    // What a RuntimeClass takes for itself.
    overhead: any,
  },
  'spec.containers[]': { terminationMessagePath: is('/dev/termination-log'), terminationMessagePolicy: is('File') },
  'spec.containers[].securityContext': { procMount: is('Default') },
};

/** Fields that a server leaves out where they are false, and that are false where they are left out. */
const FALSE_IF_ABSENT: ReadonlySet<string> = new Set(['hostNetwork', 'hostPID', 'hostIPC', 'tty', 'privileged']);
/** Where a server writes amounts its own way: `1000m` as `1`. */
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
  const beside = BESIDE[path.replaceAll(/\[\d+\]/g, '[]')] ?? {};
  for (const [name, each] of Object.entries(has)) {
    if (each === undefined || wants[name] !== undefined || beside[name]?.(each) === true) continue;
    return `\`${path}.${name}\` is ${said(each)}, which no sandbox has`;
  }
  for (const [name, each] of Object.entries(wants)) {
    if (each === undefined || (each === false && has[name] === undefined && FALSE_IF_ABSENT.has(name))) continue;
    const fault = valueFault(has[name], each, `${path}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

/** Two values that aren't quantities are never the same amount. */
function isSameAmount(value: unknown, expected: unknown): boolean {
  const nanos = nanosOf(value);
  return nanos !== null && nanos === nanosOf(expected);
}

const differs = (path: string, value: unknown, expected: unknown): string =>
  `\`${path}\` is ${said(value)}, not ${said(expected)}`;

/** Enough to recognise it. */
const SAID_CHARACTERS_MAX = 200;

const said = (value: unknown): string =>
  value === undefined ? 'not set' : `\`${JSON.stringify(value).slice(0, SAID_CHARACTERS_MAX)}\``;
