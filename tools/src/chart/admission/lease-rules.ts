// SPDX-License-Identifier: Apache-2.0
// The shape of an executor's Lease as rules of an admission policy.
import { OWNER_LABEL } from '@writ/sandbox-k8s';
import { driverLease, pinsOf } from './driver-pod.ts';
import { SERVER_METADATA, VALUES } from './pod-rules.ts';
import { closed, Expression, joined, type Rules } from './rules.ts';

const FREE_METADATA = ['labels', 'name', 'namespace'];
const FREE_LABELS = [OWNER_LABEL];
const FREE_SPEC = ['holderIdentity', 'renewTime'];

export function leaseRules(): Rules {
  const { metadata = {}, spec = {} } = driverLease();
  return joined([
    {
      variables: [
        ...(['account', 'release', 'addedLabels'] as const).map((name) => ({ name, expression: VALUES[name] })),
        { name: 'metadata', expression: 'dyn(object.metadata)' },
        { name: 'labels', expression: 'dyn(object.metadata.?labels.orValue({}))' },
        { name: 'spec', expression: 'dyn(object.?spec.orValue({}))' },
      ],
      validations: [
        {
          // The garbage collector removes finalizers, so others may change a lease within its shape.
          expression: "request.operation != 'CREATE' || request.userInfo.username == variables.account",
          message: 'only the executor makes leases here',
        },
      ],
    },
    closed({ variable: 'metadata', place: 'metadata', pins: {}, free: [...FREE_METADATA, ...SERVER_METADATA] }),
    closed({
      variable: 'labels',
      place: 'metadata.labels',
      pins: { ...pinsOf(metadata.labels ?? {}, FREE_LABELS), writ: new Expression('variables.release') },
      free: FREE_LABELS,
      more: 'variables.addedLabels',
    }),
    closed({ variable: 'spec', place: 'spec', pins: pinsOf(spec, FREE_SPEC), free: FREE_SPEC }),
    {
      variables: [],
      validations: [
        {
          expression:
            "variables.metadata.name.matches('^writ-[a-z0-9-]{1,40}$')\n" +
            `&& '${OWNER_LABEL}' in variables.labels\n` +
            `&& variables.spec.?holderIdentity.orValue('') == variables.labels['${OWNER_LABEL}']\n` +
            '&& has(variables.spec.renewTime)',
          message: 'an executor holds a Lease of its own name, and says when it renewed it',
        },
      ],
    },
  ]);
}
