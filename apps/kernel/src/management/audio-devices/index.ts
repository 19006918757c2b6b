// SPDX-License-Identifier: Apache-2.0
export { AudioDevicesController } from './audio-devices.controller.ts';
export { BeginUpload } from './begin-upload.ts';
export { ExpireAudio } from './expire-audio.ts';
