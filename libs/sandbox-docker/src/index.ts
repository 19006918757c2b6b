// SPDX-License-Identifier: Apache-2.0
export { SANDBOX_UID, type SandboxSize } from './container-options.ts';
export { DockerSandbox, type DockerSandboxConfig, type WarmPoolConfig } from './docker-sandbox.ts';
export { buildSandboxImage, type SandboxImage, type SandboxImageSource } from './image.ts';
export type { SandboxEvent, SandboxEventListener } from './events.ts';
