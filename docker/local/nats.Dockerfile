# SPDX-License-Identifier: Apache-2.0
# NATS of Debian, for tests and trials, like postgres.Dockerfile beside it.
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim
FROM ${BASE_IMAGE}
USER 0:0
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends nats-server wget \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* && mkdir -p /data && chmod 1777 /data
USER 10001:10001
ENTRYPOINT ["/usr/sbin/nats-server"]
CMD []
