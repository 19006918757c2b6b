// SPDX-License-Identifier: Apache-2.0
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryClient } from './data/query-client.ts';
import { consoleRouter } from './router.tsx';
import { applyTheme } from './shell/theme.ts';
import './design/tokens.css';

applyTheme();
const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no element for the console');
createRoot(root).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={consoleRouter} />
  </QueryClientProvider>,
);
