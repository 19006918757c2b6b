// SPDX-License-Identifier: Apache-2.0
// VitePress' theme with the fonts of the reader's machine: nothing is fetched, and the site is smaller.
import './diagrams.css';

export { default } from 'vitepress/theme-without-fonts';
