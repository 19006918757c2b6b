// SPDX-License-Identifier: Apache-2.0

/** The image that is configured can't run: it isn't there, may not be pulled, or is another one than permits name. */
export class ImageFault extends Error {
  override readonly name = 'ImageFault';

  constructor(detail: string) {
    super(
      `${detail}; set the image by \`sandbox.image\` in the chart's values, or by WRIT_SANDBOX_IMAGE and ` +
        'WRIT_SANDBOX_IMAGE_DIGEST of executors and kernels',
    );
  }
}
