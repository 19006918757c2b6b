// SPDX-License-Identifier: Apache-2.0
export { AllowedSources, type SourceProblem } from './allowed-sources.ts';
export { buildPlan, NothingToBuild, type BuildPlan, type BuildStep, type PackageRegistries } from './build-plan.ts';
export { readImageSource, sourceBytes, sourceDigest, sourceFrom, type SourceRead } from './image-source.ts';
export { ImageError, type BuildContext, type TenantImages, type WantedImage } from './tenant-images.ts';
export { findUser, UserRefused, type ResolvedUser } from './system-users.ts';
