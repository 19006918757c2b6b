// SPDX-License-Identifier: Apache-2.0
//
// The components of the services' image, as CycloneDX. They come from the bundled and copied files, since the lockfile
// also has packages for tests and builds.
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { DebianPackage } from './debian-base.ts';
import type { Release } from './release.ts';
import { bundledPackages, packageAt, runtimePackages, type RuntimePackage } from './runtime-packages.ts';

export interface SbomOptions {
  readonly checkout: string;
  readonly release: Release;
  /** of the base, where it is built from packages */
  readonly debian: readonly DebianPackage[];
  /** the version of Node.js */
  readonly node: string;
}

const WRIT = /^(?:apps|libs|tools)\//;

/** npm packages in the image: in the bundles, and beside them. */
export const imagePackages = (checkout: string): readonly RuntimePackage[] => {
  const joined = bundledPackages(checkout)
    .joined.filter((folder) => !WRIT.test(folder))
    .map((folder) => packageAt(checkout, folder));
  const byId = new Map(
    [...joined, ...runtimePackages(checkout)].map((found) => [`${found.name}@${found.version}`, found]),
  );
  return [...byId.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
};

const npmUrl = ({ name, version }: RuntimePackage): string =>
  `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;

const debianUrl = ({ name, version, architecture }: DebianPackage): string =>
  `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;

const licenceOf = (license: string | undefined): Models.LicenseRepository => {
  if (license === undefined) return new Models.LicenseRepository();
  // An SPDX expression, or the author's own text.
  return new Models.LicenseRepository([
    / (?:OR|AND|WITH) /.test(license) ? new Models.LicenseExpression(license) : new Models.NamedLicense(license),
  ]);
};

const npmComponent = (found: RuntimePackage): Models.Component => {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(found.name) ?? [];
  const purl = npmUrl(found);
  return new Models.Component(Enums.ComponentType.Library, name ?? found.name, {
    group,
    version: found.version,
    purl,
    bomRef: purl,
    scope: Enums.ComponentScope.Required,
    licenses: licenceOf(found.license),
  });
};

/** The list of packages as JSON, the same for the same image. */
export const renderSbom = ({ checkout, release, debian, node }: SbomOptions): string => {
  const image = new Models.Component(Enums.ComponentType.Container, 'writ', {
    version: release.version,
    bomRef: 'writ',
    licenses: new Models.LicenseRepository([new Models.SpdxLicense('Apache-2.0')]),
  });
  const runtime = new Models.Component(Enums.ComponentType.Platform, 'node', {
    version: node,
    purl: `pkg:generic/node@${node}`,
    bomRef: `pkg:generic/node@${node}`,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense('MIT')]),
  });
  const system = debian.map(
    (found) =>
      new Models.Component(Enums.ComponentType.Library, found.name, {
        version: found.version,
        purl: debianUrl(found),
        bomRef: debianUrl(found),
      }),
  );
  const components = [...imagePackages(checkout).map(npmComponent), runtime, ...system];
  for (const component of components) image.dependencies.add(component.bomRef);
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: image, timestamp: release.date }) });
  for (const component of components) bom.components.add(component);
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
};
