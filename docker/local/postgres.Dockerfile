# SPDX-License-Identifier: Apache-2.0
# Postgres of Debian, for machines that reach Debian's packages and no registry of images: tests and trials. A deployment takes the image
# of the Postgres project. It reads the same variables as that image, as far as deploy/compose sets them.
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim
FROM ${BASE_IMAGE}
USER 0:0
# The package would make a cluster of its own when it is installed.
RUN mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \
 && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends postgresql-15 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
 && echo 'writ:x:10001:10001:writ:/nonexistent:/usr/sbin/nologin' >> /etc/passwd && echo 'writ:x:10001:' >> /etc/group \
 && mkdir -p /var/lib/postgresql/data /var/run/postgresql && chmod 1777 /var/lib/postgresql/data /var/run/postgresql
ENV PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
USER 10001:10001
STOPSIGNAL SIGINT
ENTRYPOINT ["/bin/bash", "/usr/local/bin/docker-entrypoint.sh"]
CMD ["postgres"]
