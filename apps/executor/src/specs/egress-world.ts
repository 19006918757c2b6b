// SPDX-License-Identifier: Apache-2.0
import type { Redemption } from '@writ/contract';
import { EgressGate } from '../egress/gate.ts';
import { Outside } from './outside.ts';
import { ScriptedKernel } from './scripted-kernel.ts';

/** What a token lets a call reach in this world: every host of `outside.example`. */
export const OUTSIDE_HOSTS: Redemption['net'] = [
  [{ domain: '*.outside.example', methods: ['GET', 'POST', 'CONNECT'] }],
];

/** A host outside, a kernel that orders calls, and a workspace of two files. */
export class EgressWorld {
  readonly outside: Outside;
  readonly kernel: ScriptedKernel;
  readonly root: string;

  private constructor(outside: Outside, kernel: ScriptedKernel, root: string) {
    this.outside = outside;
    this.kernel = kernel;
    this.root = root;
  }

  static async open(): Promise<EgressWorld> {
    const outside = await Outside.open();
    const kernel = await new ScriptedKernel().start();
    kernel.leaseMs = 60_000;
    const root = await kernel.tree({ 'out/body.json': '{"a":1}', 'private/key': 'secret' });
    return new EgressWorld(outside, kernel, root);
  }

  /** A gate that leads to the host outside. */
  gate(): EgressGate {
    return new EgressGate(this.outside.ports, () => performance.now());
  }

  async close(): Promise<void> {
    await this.kernel.close();
    await this.outside.close();
  }
}
