#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a container of Postgres' image, while the service postgres is stopped: puts the base backup of backup.sh in the place
# of the data. Postgres then replays the log that was kept, at its next start: all of it, or up to a moment.
# What was there is moved aside, never deleted. README.md says how it is called.
set -eu
# Postgres reads its configuration before it knows names of time zones, `Z` among them.
moment=$(printf '%s' "${1:-}" | sed 's/Z$/+00/')

case $moment in
  '' | [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T\ ][0-9][0-9]:[0-9][0-9]*[+-][0-9][0-9]*) ;;
  *)
    echo "\`$1\` is no moment such as 2026-05-01T12:00:00Z: nothing was changed" >&2
    exit 1
    ;;
esac
if [ ! -s /backup/base/backup_label ]; then
  echo 'there is no base backup in /backup/base: nothing was changed' >&2
  exit 1
fi
if [ -e "$PGDATA" ]; then
  aside="$PGDATA.$(date -u +%Y%m%dT%H%M%SZ)"
  mv "$PGDATA" "$aside"
  echo "what was there is $aside now"
fi
cp -a /backup/base "$PGDATA.new"
{
  echo "restore_command = 'cp /backup/wal/%f %p'"
  if [ -n "$moment" ]; then
    echo "recovery_target_time = '$moment'"
    echo "recovery_target_action = promote"
    # What follows from an earlier moment is another history: it must not get between the files of this one.
    echo "archive_mode = off"
  fi
} >> "$PGDATA.new/postgresql.auto.conf"
touch "$PGDATA.new/recovery.signal"
mv "$PGDATA.new" "$PGDATA"
echo "the base backup is in place; Postgres replays the log ${moment:+up to $moment }when it starts"
