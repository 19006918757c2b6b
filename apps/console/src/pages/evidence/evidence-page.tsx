// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { en } from '../../words/en.ts';
import styles from './evidence.module.css';

const TABS = [
  { to: '/evidence', label: en.evidence.tabs.records },
  { to: '/evidence/log', label: en.evidence.tabs.log },
  { to: '/evidence/exports', label: en.evidence.tabs.exports },
  { to: '/evidence/verify', label: en.evidence.tabs.verify },
] as const;

/** The frame of the pages for auditors. None of them changes anything. */
export const EvidencePage = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <section className={styles['page']} aria-labelledby="page-title">
    <header className={styles['heading']}>
      <h1 id="page-title">{en.evidence.title}</h1>
      <nav aria-label={en.evidence.title} className={styles['tabs']}>
        {TABS.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            search={{}}
            className={styles['tab']}
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {label}
          </Link>
        ))}
      </nav>
    </header>
    {children}
  </section>
);
