// SPDX-License-Identifier: Apache-2.0
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'writ-theme';

/** The colours that this browser was set to. */
export function storedTheme(): Theme {
  const stored = window.localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** Shows the page in these colours, and keeps them for this browser. */
export function applyTheme(theme: Theme = storedTheme()): void {
  window.localStorage.setItem(STORED, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
