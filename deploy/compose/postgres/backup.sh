#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the container of Postgres, with backup.yaml: keeps the write-ahead log in /backup/wal from now on, and makes a new
# base backup in /backup/base. README.md says how it is called.
set -eu
PGPASSWORD=$(cat /etc/writ/keys/password)
export PGPASSWORD PGHOST=127.0.0.1 PGUSER=postgres PGDATABASE=postgres

if [ ! -w /backup ]; then
  echo "there is no /backup that this user may write to: name backup.yaml beside compose.yaml in COMPOSE_FILE" >&2
  exit 1
fi
mkdir -p /backup/wal
psql --quiet --set ON_ERROR_STOP=1 <<'SQL'
ALTER SYSTEM SET archive_mode = on;
-- A segment that is there is never written over, and half a segment never has its name.
ALTER SYSTEM SET archive_command = 'test ! -f /backup/wal/%f && cp %p /backup/wal/%f.part && mv /backup/wal/%f.part /backup/wal/%f';
-- So much of the log may be missing where the volume is lost with what wasn't archived yet.
ALTER SYSTEM SET archive_timeout = '60s';
SELECT pg_reload_conf() \g /dev/null
SQL
if [ "$(psql --tuples-only --no-align --command 'SHOW archive_mode')" != on ]; then
  echo 'the log is kept once Postgres was started anew: restart the service postgres, and run this again' >&2
  exit 1
fi
# The old one stays until the new one is whole.
rm -rf /backup/base.new
pg_basebackup --pgdata /backup/base.new --wal-method=none --checkpoint=fast --no-password
rm -rf /backup/base.old
[ ! -e /backup/base ] || mv /backup/base /backup/base.old
mv /backup/base.new /backup/base
rm -rf /backup/base.old
echo "a base backup of $(du -sh /backup/base | cut -f1), and $(ls /backup/wal | wc -l) files of the log"
