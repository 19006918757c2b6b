// SPDX-License-Identifier: Apache-2.0
// Messages that operators' pages quote: a reader searches the page for a message from the log.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8');

/** For each message: the page, the quoted words, and the source file with them. */
const QUOTED: readonly (readonly [page: string, message: string, source: string])[] = [
  ['install.md', 'the network is open: ADDRESS answers this container', 'apps/sandbox-agent/src/closed-network.ts'],
  ['install.md', "isn't a sandbox as this executor makes them", 'libs/sandbox-k8s/src/claimed-pods.ts'],
  ['install.md', 'there is no Postgres: set …', 'helm/writ/templates/_checks.tpl'],
  ['install.md', "can't be resolved (…)", 'apps/setup/src/gate/pod-probe.ts'],
  ['install.md', 'the driver sets …', 'tools/src/chart/admission/cluster-rules.ts'],
  ['install.md', 'the cluster has no CRD `', 'libs/sandbox-k8s/src/agent-sandbox.ts'],
  ['install.md', 'WarmPoolNotFound', 'libs/sandbox-k8s/src/claim-state.ts'],
  ['images.md', 'the node runs the image …, and permits name …', 'libs/sandbox-k8s/src/start-pod.ts'],
  ['keys.md', 'was changed by somebody else meanwhile', 'apps/setup/src/keys/cluster-rings.ts'],
  ['keys.md', 'waits for its turn until …', 'libs/signing/src/rings/change-ring.ts'],
];

test.each(QUOTED)('%s quotes `%s` as the code has it', (page, message, source) => {
  expect(read(join('docs/operations', page))).toContain(message);
  const text = read(source);
  // In place of a value of the message, a page has an ellipsis or a word in capitals.
  for (const part of message.split(/…,?|\b[A-Z]{4,}\b/)) expect(text.replaceAll('\\`', '`')).toContain(part.trim());
});
