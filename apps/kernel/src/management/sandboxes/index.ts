// SPDX-License-Identifier: Apache-2.0
export { ListSandboxes } from './list-sandboxes.ts';
export { RegisterSandbox } from './register-sandbox.ts';
export { Registrars } from './registrars.ts';
export { SandboxesController } from './sandboxes.controller.ts';
