// SPDX-License-Identifier: Apache-2.0
export { DockerSandbox, type DockerSandboxConfig } from './docker-sandbox.ts';
export { DockerImages, type DockerImagesConfig } from './images/docker-images.ts';
export { engineTask, type EngineProgress } from './engine-task.ts';
export type { ImageBounds } from './images/runnable-image.ts';
export { buildSandboxImage, type SandboxImage, type SandboxImageSource } from './image.ts';
