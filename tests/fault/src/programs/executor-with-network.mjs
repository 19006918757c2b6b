// SPDX-License-Identifier: Apache-2.0
// The executor's own process, whose sandboxes are on the container engine's default network.
import Docker from 'dockerode';

const { createContainer } = Docker.prototype;
Docker.prototype.createContainer = function (options, ...rest) {
  const HostConfig = { ...options.HostConfig, NetworkMode: 'bridge' };
  return createContainer.call(this, { ...options, NetworkDisabled: false, HostConfig }, ...rest);
};

await import('../../../../apps/executor/dist/main.js');
