// SPDX-License-Identifier: Apache-2.0
declare module '*.module.css' {
  const names: Readonly<Record<string, string>>;
  // eslint-disable-next-line no-restricted-exports -- Vite exports the names of a CSS module so
  export default names;
}
declare module '*.css';
