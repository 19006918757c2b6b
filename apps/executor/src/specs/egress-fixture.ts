// SPDX-License-Identifier: Apache-2.0
import type { Redemption } from '@writ/contract';
import { EgressGate } from '../egress/gate.ts';
import { ExternalHosts } from './external-hosts.ts';
import { ScriptedKernel } from './scripted-kernel.ts';

/** The net grant of calls in this test setup: every host of `outside.example`. */
export const OUTSIDE_HOSTS: Redemption['net'] = [
  [{ domain: '*.outside.example', methods: ['GET', 'POST', 'CONNECT'] }],
];

/** A test setup: an external host, a kernel that issues permits, and a workspace with two files. */
export class EgressFixture {
  readonly outside: ExternalHosts;
  readonly kernel: ScriptedKernel;
  readonly root: string;

  private constructor(outside: ExternalHosts, kernel: ScriptedKernel, root: string) {
    this.outside = outside;
    this.kernel = kernel;
    this.root = root;
  }

  static async open(): Promise<EgressFixture> {
    const outside = await ExternalHosts.open();
    const kernel = await new ScriptedKernel().start();
    kernel.leaseMs = 60_000;
    const root = await kernel.tree({ 'out/body.json': '{"a":1}', 'private/key': 'secret' });
    return new EgressFixture(outside, kernel, root);
  }

  /** A gate that reaches the external host. */
  gate(): EgressGate {
    return new EgressGate(this.outside.ports, () => performance.now());
  }

  async close(): Promise<void> {
    await this.kernel.close();
    await this.outside.close();
  }
}
