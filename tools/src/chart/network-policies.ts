// SPDX-License-Identifier: Apache-2.0
// Evaluates network policies by Kubernetes' own rules: a connection is allowed where the policies of both ends allow
// it.
import { BlockList, isIP } from 'node:net';
import { NAMESPACE, RELEASE, type KubeObject, type Labels } from './render.ts';

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}
interface Policy {
  readonly podSelector: Selector;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

/** An end of a connection: a pod, or an external address. */
export type End = { readonly namespace: string; readonly labels: Labels } | { readonly address: string };

const chooses = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''));

const isWithin = (cidr: string, address: string): boolean => {
  const [net = '', bits] = cidr.split('/');
  const family = isIP(net) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) !== isIP(net)) return false;
  const list = new BlockList();
  list.addSubnet(net, Number(bits), family);
  return list.check(address, family);
};

const isPeer = ({ podSelector, namespaceSelector, ipBlock }: Peer, end: End): boolean => {
  if ('address' in end)
    return (
      ipBlock !== undefined &&
      isWithin(ipBlock.cidr, end.address) &&
      !(ipBlock.except ?? []).some((cidr) => isWithin(cidr, end.address))
    );
  if (ipBlock !== undefined) return false;
  const inNamespace =
    namespaceSelector === undefined
      ? end.namespace === NAMESPACE
      : chooses(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace });
  return inNamespace && chooses(podSelector ?? {}, end.labels);
};

export const policiesOf = (objects: readonly KubeObject[], end: End): Policy[] =>
  'address' in end
    ? []
    : objects
        .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === end.namespace)
        .map((object) => object['spec'] as Policy)
        .filter(({ podSelector }) => chooses(podSelector, end.labels));

const passes = (rules: readonly Rule[] | undefined, other: End, port: number, protocol: string): boolean =>
  (rules ?? []).some(
    ({ from, to, ports }) =>
      (from ?? to ?? [{ namespaceSelector: {} }, { ipBlock: { cidr: '0.0.0.0/0' } }]).some((peer) =>
        isPeer(peer, other),
      ) &&
      (ports === undefined || ports.some((each) => each.port === port && each.protocol === protocol)),
  );

/** Whether the policies of both ends allow the connection. */
export function isOpen(objects: readonly KubeObject[], from: End, to: End, port: number, protocol = 'TCP'): boolean {
  const out = policiesOf(objects, from).filter(({ policyTypes }) => policyTypes.includes('Egress'));
  const into = policiesOf(objects, to).filter(({ policyTypes }) => policyTypes.includes('Ingress'));
  return (
    (out.length === 0 || out.some(({ egress }) => passes(egress, to, port, protocol))) &&
    (into.length === 0 || into.some(({ ingress }) => passes(ingress, from, port, protocol)))
  );
}

/** A pod of the release. */
export const end = (component: string): End => ({
  namespace: NAMESPACE,
  labels: {
    'app.kubernetes.io/name': 'writ',
    'app.kubernetes.io/instance': RELEASE,
    'app.kubernetes.io/component': component,
  },
});
/** A pod in another namespace. */
export const elsewhere = (namespace: string, labels: Labels = {}): End => ({ namespace, labels });
