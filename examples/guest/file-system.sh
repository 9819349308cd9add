#!/bin/sh
# Makes a file system on the disk, has fio write at random and find what it wrote, and read one request
# after the other past the cache of the guest.
set -e
mke2fs -q -t ext4 "${disk:?}"
mount -t ext4 "${disk:?}" /mnt
fio --name=verify --directory=/mnt --size=4M --rw=randwrite --bs=4k --ioengine=libaio --direct=1 \
  --iodepth=8 --verify=crc32c --verify_fatal=1 --output-format=json --output=/out/verify.json
fio --name=read --filename=/mnt/verify.0.0 --size=4M --io_size=8M --rw=randread --bs=16k \
  --ioengine=psync --direct=1 --output-format=json --output=/out/read.json
umount /mnt
