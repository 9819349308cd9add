#!/bin/sh
# A database that gets one transaction after the other until somebody pulls the plug. What it has
# committed, it says. $journal and $synchronous are SQLite's: with full, not extra, the end of a rollback
# journal can be lost, and with it the last transaction.
mke2fs -q -t ext4 "${disk:?}"
mount -t ext4 "${disk:?}" /mnt
{
  echo "pragma journal_mode = ${journal:-delete};"
  echo "pragma synchronous = ${synchronous:-extra};"
  echo 'create table entries (k integer primary key, filler blob);'
  echo 'create table totals (entries integer, sum integer);'
  echo 'insert into totals values (0, 0);'
  i=1
  while [ $i -le 5000 ]; do
    echo 'begin;'
    echo "insert into entries values ($i, randomblob(abs(random()) % 3000));"
    echo "update entries set filler = randomblob(500) where k = 1 + abs(random()) % $i;"
    echo "update totals set entries = entries + 1, sum = sum + $i;"
    echo 'commit;'
    echo ".print committed $i"
    i=$((i + 1))
  done
} | sqlite3 /mnt/database
