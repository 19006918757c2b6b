// SPDX-License-Identifier: Apache-2.0
export { DockerSandbox, type DockerSandboxConfig } from './docker-sandbox.ts';
export { buildSandboxImage, type SandboxImage, type SandboxImageSource } from './image.ts';
