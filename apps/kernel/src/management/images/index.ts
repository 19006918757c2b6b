// SPDX-License-Identifier: Apache-2.0
export { ImageBuilds } from './image-builds.ts';
export { TenantImages } from './tenant-images.ts';
export { ImageBuildsController, ImagesController } from './images.controller.ts';
