// SPDX-License-Identifier: Apache-2.0
interface Installed {
  readonly packages?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export declare const missingPackages: (lock: Installed, installed: Installed | undefined) => string[];
