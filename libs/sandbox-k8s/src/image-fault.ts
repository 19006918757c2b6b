// SPDX-License-Identifier: Apache-2.0

/** The configured image can't run: it doesn't exist, may not be pulled, or differs from the image in permits. */
export class ImageFault extends Error {
  override readonly name = 'ImageFault';

  constructor(detail: string) {
    super(
      `${detail}; set the image by \`sandbox.image\` in the chart's values, or by WRIT_SANDBOX_IMAGE and ` +
        'WRIT_SANDBOX_IMAGE_DIGEST of executors and kernels',
    );
  }
}
