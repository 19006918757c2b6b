// SPDX-License-Identifier: Apache-2.0
export { SANDBOX_UID } from './container-options.ts';
export { DockerSandbox, type DockerSandboxConfig } from './docker-sandbox.ts';
export { buildSandboxImage, type SandboxImage, type SandboxImageSource } from './image.ts';
