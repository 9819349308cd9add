#!/bin/sh
# Looks at the database of transactions.sh after the plug was pulled: the journals of the file system
# and of SQLite are replayed, and what is there must be sound.
set -e
mount -t ext4 "${disk:?}" /mnt
sqlite3 /mnt/database \
  'pragma integrity_check;' \
  'select count(*), max(k) from entries;' \
  'select (select entries from totals) = count(*), (select sum from totals) = sum(k) from entries;' \
  | tee /out/integrity
umount /mnt
