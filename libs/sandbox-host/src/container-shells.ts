// SPDX-License-Identifier: Apache-2.0
import { Shells, type Shell, type ShellSpec } from '@writ/sandbox';

/** Opens one shell in a container of the sandbox. */
export type OpenShell = (spec: ShellSpec, signal: AbortSignal) => Promise<Shell>;

/** Shells in containers of a sandbox, which share its pools, labels and sweep. */
export class ContainerShells extends Shells {
  readonly #open: OpenShell;

  constructor(open: OpenShell) {
    super();
    this.#open = open;
  }

  override open(spec: ShellSpec, signal: AbortSignal): Promise<Shell> {
    return this.#open(spec, signal);
  }
}
