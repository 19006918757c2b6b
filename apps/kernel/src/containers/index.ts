// SPDX-License-Identifier: Apache-2.0
export { KillSandbox } from './kill-sandbox.ts';
export { Peek } from './peek.ts';
export { PeekedController } from './peeked.controller.ts';
export { Sandboxes } from './sandboxes.ts';
export { SandboxesController } from './sandboxes.controller.ts';
