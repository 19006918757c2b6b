// SPDX-License-Identifier: Apache-2.0

/**
 * Lists the packages of a lockfile whose installation differs from it. npm writes `node_modules/.package-lock.json` as
 * the last step of an install, so an interrupted one counts as not done. Optional packages may be absent (another
 * platform's binaries).
 *
 * @param {{packages?: Record<string, any>}} lock package-lock.json
 * @param {{packages?: Record<string, any>} | undefined} installed npm's record of what it installed
 * @returns {string[]} paths, empty when nothing needs to be done
 */
export const missingPackages = (lock, installed) => {
  const present = installed?.packages ?? {};
  return Object.entries(lock.packages ?? {})
    .filter(([path]) => path.startsWith('node_modules/') || path.includes('/node_modules/'))
    .filter(([path, wanted]) => {
      const found = present[path];
      if (found === undefined) return !wanted.optional && !wanted.devOptional && !wanted.peer;
      return found.version !== wanted.version || found.integrity !== wanted.integrity || found.link !== wanted.link;
    })
    .map(([path]) => path);
};
