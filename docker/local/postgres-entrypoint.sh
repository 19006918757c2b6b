#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the cluster at the first start and runs Postgres. The set-up program makes databases and roles.
set -euo pipefail
: "${PGDATA:?}" "${POSTGRES_USER:?}" "${POSTGRES_PASSWORD_FILE:?}"
if [[ ! -s $PGDATA/PG_VERSION ]]; then
  # What a start that was killed has left is no cluster.
  rm -rf "$PGDATA.new"
  initdb --pgdata "$PGDATA.new" --username "$POSTGRES_USER" --pwfile <(cat "$POSTGRES_PASSWORD_FILE"; echo) --encoding UTF8 \
    --locale C --auth scram-sha-256 > /dev/null
  mv "$PGDATA.new" "$PGDATA"
fi
exec "$@"
