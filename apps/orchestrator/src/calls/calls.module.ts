// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { BlobStore } from '@writ/blobs';
import { subjectsOf } from '@writ/contract';
import { provideBy, provideClass, provideValue, type ProcessContext } from '@writ/nest-kit';
import { FullQueues } from '../edge/access/full-queues.ts';
import { WorkerTasks } from '../edge/work/worker-tasks.ts';
import { RegisteredLifetime } from '../store/registered-lifetime.ts';
import { CallDefaults } from './call-defaults.ts';
import { EventHub } from './event-hub.ts';
import { Follow } from './follow.ts';
import { ConsentClient } from './kernel/consent-client.ts';
import { KernelClient } from './kernel/kernel-client.ts';
import { Offers } from './kernel/offers.ts';
import { OperationEventsController } from './operation-events.controller.ts';
import { OperationWatch } from './operation-watch.ts';
import { Propose } from './propose.ts';
import { OutputEventsController } from './live-output/output-events.controller.ts';
import { OutputFeeds } from './live-output/output-feeds.ts';
import { ProposeInOrder } from './propose-in-order.ts';
import { ShowOperation } from './show-operation.ts';

/** The configuration of calls. */
export interface CallsConfig {
  readonly WRIT_SHARD: string;
  readonly WRIT_EVENT_STREAMS_MAX: number;
}

const monotonic = (): number => performance.now();

/** Provides the proposal of calls to the kernel, and the observation of operations. */
@Module({})
export class CallsModule {
  /** @param below the modules before this one */
  static with(config: CallsConfig, { bus }: ProcessContext, below: DynamicModule[]): DynamicModule {
    const subjects = subjectsOf(config.WRIT_SHARD);
    const providers = [
      provideValue(new KernelClient(bus, subjects, Date.now)),
      provideValue(new ConsentClient(bus, subjects, Date.now)),
      provideBy(OperationWatch, [RegisteredLifetime], (lifetime) => {
        const watch = new OperationWatch();
        lifetime.onStop(() => watch.close());
        return watch;
      }),
      provideBy(EventHub, [RegisteredLifetime], (lifetime) => {
        const hub = new EventHub(config.WRIT_EVENT_STREAMS_MAX);
        lifetime.onStop(() => hub.close());
        return hub;
      }),
      provideBy(OutputFeeds, [RegisteredLifetime], (lifetime) => {
        const feeds = new OutputFeeds(
          config.WRIT_EVENT_STREAMS_MAX,
          (event) => bus.publish(subjects.event('watch', event.tenant_id), event),
          monotonic,
        );
        lifetime.onStop(() => feeds.close());
        return feeds;
      }),
      provideBy(Follow, [KernelClient, OperationWatch], (kernel, watch) => new Follow(kernel, watch, monotonic)),
      provideClass(ShowOperation, BlobStore, KernelClient, WorkerTasks),
      provideClass(Propose, KernelClient, BlobStore, Follow, FullQueues),
      provideBy(ProposeInOrder, [Propose], (propose) => new ProposeInOrder(propose, monotonic)),
      provideBy(CallDefaults, [KernelClient], (kernel) => new CallDefaults(kernel)),
      provideBy(Offers, [KernelClient], (kernel) => new Offers(kernel, Date.now)),
    ];
    return {
      module: CallsModule,
      imports: below,
      controllers: [OperationEventsController, OutputEventsController],
      providers,
      exports: providers,
    };
  }
}
