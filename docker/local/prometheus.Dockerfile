# SPDX-License-Identifier: Apache-2.0
# Prometheus and Alertmanager of Debian, for tests and trials, like postgres.Dockerfile beside it.
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim
FROM ${BASE_IMAGE}
USER 0:0
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends prometheus prometheus-alertmanager \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* && mkdir -p /prometheus /alertmanager && chmod 1777 /prometheus /alertmanager
USER 65534:65534
CMD ["/usr/bin/prometheus"]
