// SPDX-License-Identifier: Apache-2.0
import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { administration as words } from '../../words/administration.ts';
import styles from './administration.module.css';

/** The pages about the tenant, as tabs. */
const TABS = [
  { to: '/administration/freezes', label: words.tabs.freezes },
  { to: '/administration/members', label: words.tabs.members },
  { to: '/administration/invitations', label: words.tabs.invitations },
  { to: '/administration/agents', label: words.tabs.agents },
  { to: '/administration/keys', label: words.tabs.keys },
  { to: '/administration/secrets', label: words.tabs.secrets },
  { to: '/administration/webhooks', label: words.tabs.webhooks },
  { to: '/administration/limits', label: words.tabs.limits },
  { to: '/administration/usage', label: words.tabs.usage },
  { to: '/administration/erasures', label: words.tabs.erasures },
] as const;

/** The frame around the pages about a tenant. */
export const Administration = (): ReactNode => (
  <section className={styles['page']} aria-labelledby="page-title">
    <header className={styles['heading']}>
      <h1 id="page-title">{words.title}</h1>
      <nav aria-label={words.title} className={styles['tabs']}>
        {TABS.map(({ to, label }) => (
          <Link key={to} to={to} search={{}} className={styles['tab']} activeProps={{ 'aria-current': 'page' }}>
            {label}
          </Link>
        ))}
      </nav>
    </header>
    <Outlet />
  </section>
);
