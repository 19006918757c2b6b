// SPDX-License-Identifier: Apache-2.0
import { ImageView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ImageList = listOf(ImageView);
