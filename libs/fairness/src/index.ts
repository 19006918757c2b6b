// SPDX-License-Identifier: Apache-2.0
export { FairPlaces, type Offered, type PlaceBounds } from './fair-places.ts';
