// SPDX-License-Identifier: Apache-2.0
export { dangerousTool, profileNameOf, rawJob, repositoryFault, type RawJob } from './dangerous-tool.ts';
export { profileBytes, profileDigest, profileFrom, readProfile, type ProfileRead } from './execution-profile.ts';
