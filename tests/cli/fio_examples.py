"""What fio's own example job files say: sections, keys and values, in the order of the file.

Each is "NAME  REFUSED BY  SECTIONS", a section "name key=value ...", sections apart by "|". The
third word is the key that stops the file here, or "-". Descriptions and comments are left out, as
are values that only name a file or machine.
"""

from __future__ import annotations

from dataclasses import dataclass

FACTS = """
aio-read - global ioengine=libaio buffered=0 rw=randread bs=128k size=512m directory=d | file1 iodepth=4 | file2 iodepth=32 | file3 iodepth=8 | file4 iodepth=16
atomic-verify - write-and-verify rw=randwrite bs=4k direct=1 ioengine=libaio iodepth=16 verify=crc64 atomic=1 verify_write_sequence=0 numjobs=10 filename=f
backwards-read - backwards-read bs=4k rw=read:-8k filename=128m size=128m
basic-verify - write-and-verify rw=randwrite bs=4k direct=1 ioengine=libaio iodepth=16 verify=crc32c filename=f
butterfly flow global filename=f bs=4k direct=1 | forward rw=read flow=2 | backward rw=read:-8k flow=-2
cmdprio-bssplit - global filename=f direct=1 write_lat_log=l log_prio=1 rw=randrw ioengine=libaio iodepth=16 | cmdprio bssplit=64k/40:1024k/60,1024k/100 cmdprio_bssplit=64k/100:1024k/0,1024k/0 cmdprio_class=1 cmdprio=0 | cmdprio-adv stonewall bssplit=64k/40:1024k/60,1024k/100 cmdprio_bssplit=64k/25/1/1:64k/75/3/2:1024k/0,1024k/0 | cmdprio-adv-def stonewall prioclass=2 prio=7 bssplit=64k/40:1024k/60,1024k/100 cmdprio_bssplit=64k/25/1/1:64k/75/3/2:1024k/0,1024k/0
cmdprio-percentage - global filename=f direct=1 write_lat_log=l log_prio=1 | randread rw=randread bs=128k ioengine=libaio iodepth=8 prioclass=3 cmdprio_percentage=20 cmdprio_class=1
cpp_null time_based global bs=4k gtod_reduce=1 | null ioengine=cpp_null size=100g rw=randread norandommap time_based
cpuio ioengine global ioengine=cpuio time_based runtime=15 | burn_2x50_noop cpuload=50 numjobs=2 cpumode=noop | burn_2x50%_qsort stonewall cpuload=50 numjobs=2 cpumode=qsort
cross-stripe-verify - global bs=16k direct=1 rw=write:112k verify=crc32c filename=f verify_backlog=1 offset_increment=124g io_size=120g offset=120k group_reporting=1 verify_dump=1 loops=2 | write-verify numjobs=30
dedupe-global - global ioengine=libaio iodepth=256 size=100m dedupe_mode=working_set dedupe_global=1 dedupe_percentage=50 blocksize=4k rw=write buffer_compress_percentage=50 dedupe_working_set_percentage=50 | a | b
dev-dax - global bs=2m ioengine=dev-dax norandommap time_based=1 runtime=30 group_reporting disable_lat=1 disable_slat=1 disable_clat=1 clat_percentiles=0 cpus_allowed_policy=split iodepth=1 direct=0 thread=1 numjobs=16 filename=f | dev-dax-write rw=randwrite stonewall | dev-dax-read rw=randread stonewall
disk-zone-profile - global bs=64k direct=1 rw=read ioengine=libaio iodepth=2 zonemode=strided zonesize=256m zoneskip=2g write_bw_log | f
dfs - global ioengine=dfs pool=${POOL} cont=${CONT} filename_format=f cpus_allowed_policy=split group_reporting=1 time_based=0 percentile_list=99.0:100 disable_slat=1 disable_clat=1 bs=1M size=100G iodepth=16 numjobs=16 | daos-seqwrite rw=write stonewall | daos-seqread rw=read stonewall | daos-randwrite rw=randwrite stonewall | daos-randread rw=randread stonewall
e4defrag ioengine global ioengine=e4defrag directory=d nrfiles=1 filesize=100M size=100M bs=32k | isolated-e4defrag buffered=0 donorname=n filename=f inplace=0 rw=write | e4defrag stonewall time_based runtime=30
e4defrag2 ioengine global ioengine=e4defrag group_reporting directory=d nrfiles=1 filesize=100M size=100M donorname=n bs=32k | parallel-e4defrag buffered=0 inplace=0 rw=write numjobs=4
enospc-pressure - global ioengine=libaio directory=d filesize=128G size=999G iodepth=128 continue_on_error=write ignore_error=,ENOSPC error_dump=0 fallocate=none exitall | dio-raicer bs=128k direct=1 buffered=0 rw=randwrite runtime=100 filename=f time_based | punch_hole-raicer bs=4k rw=randtrim filename=f | aio-dio-verifier create_on_open=1 verify=crc32c-intel verify_fatal=1 verify_dump=1 verify_backlog=1024 verify_async=4 direct=1 bs=4k rw=randrw filename=f
exitwhat rw global filename=f filesize=1G blocksize=4096 group_reporting=1 exitall=1 | slow1 rw=r numjobs=1 ioengine=sync new_group=1 thinktime=2000 number_ios=1000 exit_what=stonewall | fast1 new_group=1 rw=randrw numjobs=3 ioengine=libaio iodepth=32 rate=300,300,300
falloc ioengine global ioengine=falloc iodepth=1 direct=0 buffered=0 directory=d nrfiles=1 size=100M filesize=100M group_reporting | falloc-fuzzer stonewall runtime=10 time_based bssplit=4k/10:64k/50:32k/40 rw=randwrite numjobs=1
fio-rand-RW - global name=n filename=f rw=randrw rwmixread=60 rwmixwrite=40 bs=4K direct=0 numjobs=4 time_based runtime=900 | file1 size=10G ioengine=libaio iodepth=16
fio-rand-read - global name=n filename=f rw=randread bs=4K direct=0 numjobs=1 time_based runtime=900 | file1 size=10G ioengine=libaio iodepth=16
fio-rand-write - global name=n filename=f rw=randwrite bs=4K direct=0 numjobs=4 time_based runtime=900 | file1 size=10G ioengine=libaio iodepth=16
fio-seq-RW - global name=n filename=f rw=rw rwmixread=60 rwmixwrite=40 bs=256K direct=0 numjobs=4 time_based runtime=900 | file1 size=10G ioengine=libaio iodepth=16
fio-seq-read - global name=n filename=f rw=read bs=256K direct=1 numjobs=1 time_based runtime=900 | file1 size=10G ioengine=libaio iodepth=16
fio-seq-write - global name=n filename=f rw=write bs=256K direct=0 numjobs=1 time_based runtime=900 | file1 size=10G ioengine=libaio iodepth=16
fixed-rate-submission - fixed-rate-submit size=128m rw=read ioengine=libaio iodepth=32 direct=1 io_submit_mode=offload rate_iops=1000
flow - global norandommap thread time_based runtime=30 direct=1 ioengine=libaio iodepth=256 size=100g bs=8k filename=f flow_sleep=1000 | job2 numjobs=1 rw=write flow=1 | job1 numjobs=1 rw=randread flow=8
fsx - file ioengine=libaio iodepth=1 rw=randrw size=256k bs=4k norandommap direct=1 loops=500000 rwmixcycle=40
fusion-aw-sync - rw_aw_file_sync rw=randwrite ioengine=fusion-aw-sync blocksize=8k blockalign=8k filename=f randrepeat=1 fallocate=none direct=1 invalidate=0 runtime=60 time_based
gfapi nrfiles global ioengine=gfapi volume=v brick=b create_on_open=1 rw=write | reopen_file_test nrfiles=4 filesize=16k size=64k openfiles=2 rw=write filename_format=f
ime - global numjobs=8 filename_format=f size=25g bs=128k iodepth=32 iodepth_batch=16 iodepth_batch_complete=16 | write-psync stonewall rw=write ioengine=ime_psync | read-psync stonewall rw=read ioengine=ime_psync | write-psyncv stonewall rw=write ioengine=ime_psyncv | read-psyncv stonewall rw=read ioengine=ime_psyncv | write-aio stonewall rw=write ioengine=ime_aio | read-aio stonewall rw=read ioengine=ime_aio
iodepth_mode_stepped iodepth_mode step ioengine=libaio iodepth=64 numjobs=1 direct=1 iodepth_mode=stepped:10-130/5,5/30 rw=randread norandommap filename=f runtime=1h time_based=1 numjobs=2 group_reporting=1 cpus_allowed=0,2
jesd219 - JESD219 ioengine=libaio direct=1 rw=randrw norandommap randrepeat=0 rwmixread=40 rwmixwrite=60 iodepth=256 numjobs=4 bssplit=512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3 blockalign=4k random_distribution=zoned:50/5:30/15:20/80 filename=f group_reporting=1
latency-profile latency_target global bs=4k rw=randread random_generator=lfsr direct=1 ioengine=libaio iodepth=128 latency_target=500000 latency_window=5000 latency_percentile=99.9 | device filename=f
libblkio-io_uring - global ioengine=libblkio libblkio_driver=io_uring libblkio_path=p rw=randread blocksize=4k direct=1 time_based=1 runtime=10s | job
libblkio-virtio-blk-vfio-pci - global ioengine=libblkio libblkio_driver=virtio-blk-vfio-pci libblkio_path=p rw=randread blocksize=4k time_based=1 runtime=10s | job
libcufile-posix - global ioengine=libcufile directory=${FIO_DIR} gpu_dev_ids=${GPU_DEV_IDS} cuda_io=posix direct=0 bs=1m size=1G numjobs=16 thread | read rw=read | write rw=write | randread rw=randread | randwrite rw=randwrite | verify rw=write verify=md5 | randverify rw=randwrite verify=md5
libhdfs - global runtime=300 | hdfs filename=f ioengine=libhdfs rw=read bs=256k
libiscsi - iscsi ioengine=libiscsi filename=f
libpmem - global bs=4k size=10g ioengine=libpmem norandommap time_based group_reporting invalidate=1 disable_lat=1 disable_slat=1 disable_clat=1 clat_percentiles=0 iodepth=1 iodepth_batch=1 thread numjobs=1 runtime=300 direct=1 sync=1 scramble_buffers=1 numa_cpu_nodes=0 numa_mem_policy=bind:0 cpus_allowed_policy=split directory=d | libpmem-seqwrite rw=write stonewall | libpmem-seqread rw=read stonewall
libzbc-rand-write - global name=n group_reporting rw=randwrite zonemode=zbd zonesize=256M max_open_zones=32 bs=512K direct=1 numjobs=16 time_based=1 runtime=300 | dev1 filename=f ioengine=libzbc
mmap-cxlmem - global thread group_reporting norandommap overwrite=1 thinktime=0 sync=0 direct=0 ioengine=mmap filename=f size=1GB time_based runtime=300 ramp_time=30 | SeqW bs=4k numjobs=1 iodepth=1 rw=write
mobile-storage - global filename=f filesize=1g direct=1 group_reporting | seq-read rw=read bs=512k size=1g | seq-write stonewall rw=write bs=512k size=1g | rand-read stonewall rw=randread bs=4k numjobs=8 size=128m | rand-write stonewall rw=randwrite bs=4k numjobs=8 size=128m unlink=1
mtd - global gtod_reduce=1 filename=f ioengine=mtd ignore_error=,EIO blocksize=512,512,16384 skip_bad=1 | trim stonewall rw=trim | write stonewall rw=write | trimwrite stonewall block_error_percentiles=1 rw=trimwrite loops=4
nbd - global ioengine=nbd uri=${uri} rw=randrw time_based runtime=60 group_reporting iodepth=64 | job0 offset=0 | job1 offset=64m | job2 offset=128m | job3 offset=192m
nfs - global nfs_url=u blocksize=524288 iodepth=10 ioengine=nfs size=104857600 lat_percentiles=1 group_reporting numjobs=10 direct=1 ramp_time=5s filename_format=f time_based=1 | write rw=write runtime=10s stonewall | read wait_for=write rw=randread runtime=10s
null - global bs=4k gtod_reduce=1 | null ioengine=null size=100g rw=randread norandommap
page_fault ioengine global stonewall ioengine=page_fault size=5*1024 bs=$pagesize | page_fault_write rw=write
pmemblk - global bs=1m ioengine=pmemblk norandommap time_based=1 runtime=30 group_reporting disable_lat=1 disable_slat=1 disable_clat=1 clat_percentiles=0 cpus_allowed_policy=split iodepth=1 direct=1 thread=1 numjobs=16 unlink=0 filename=f | pmemblk-write rw=randwrite stonewall | pmemblk-read rw=randread stonewall unlink=1
poisson-rate-submission - poisson-rate-submit size=128m rw=randread ioengine=libaio iodepth=32 direct=1 io_submit_mode=offload rate_iops=50 rate_poisson=1
rados nr_files global ioengine=rados clientname=c pool=p busy_poll=0 | rbd_iodepth32 iodepth=32 size=128m nr_files=128 rw=randwrite cleanup=0 reuse=1 bs=1M io_size=1G stonewall | rbd_iodepth64 iodepth=64 size=128m nr_files=128 rw=randread cleanup=1 reuse=1 bs=4k io_size=10M stonewall
rand-zones - zones size=2g direct=1 bs=4k rw=randread norandommap random_distribution=zoned:50/5:30/15:20/
rbd - global ioengine=rbd clientname=c pool=p rbdname=r invalidate=0 rw=randwrite bs=4k | rbd_iodepth32 iodepth=32
sequence-distribution random_distribution global ioengine=null rw=randread bs=4k size=48k io_size=24k | repeating_sequence random_distribution=sequence:2,0,1 random_sequence_stride=0
sg_verify sg_write_mode global filename=f buffer_pattern=0x01 ioengine=sg rw=write bs=512 number_ios=20 stonewall | precon | verify00 sg_write_mode=verify_bytchk_00
sgunmap - global ioengine=sgunmap bs=4k rw=randtrim norandommap=1 randrepeat=0 group_reporting=1 time_based=1 runtime=5 filename=f | one-thread numjobs=1 iodepth=32 iodepth_batch_submit=32 | 32-threads numjobs=32 iodepth=1 iodepth_batch_submit=1 stonewall
sheepdog - global ioengine=sheepdog target=t kb_base=1024 direct=1 invalidate=1 group_reporting | sheepdog_test rw=randread size=1000M numjobs=4 bs=1M
sprandom bs global ioengine=libaio rw=randwrite bs=${FIO_BS} blockalign=${FIO_BS} direct=1 norandommap=1 iodepth=64 | preconditioning sprandom=1 spr_op=0.15 spr_num_regions=100
ssd-steadystate - global ioengine=libaio direct=1 group_reporting filename=f | sequential-fill description=d rw=write iodepth=16 bs=1M | random-write-steady stonewall description=d rw=randwrite bs=4K iodepth=32 numjobs=4 write_bw_log=l
ssd-test - global bs=4k ioengine=libaio iodepth=4 size=10g direct=1 runtime=60 directory=d filename=f | seq-read rw=read stonewall | rand-read rw=randread stonewall | seq-write rw=write stonewall | rand-write rw=randwrite stonewall
steadystate - global threads=1 group_reporting=1 time_based size=128m | ss-write filename=f rw=write bs=128k numjobs=4 runtime=5m ss=iops:10% ss_dur=30s ss_ramp=10s | ss-read new_group stonewall filename=f rw=randread bs=4k numjobs=4 runtime=5m ss=bw_slope:1% ss_dur=10s ss_ramp=5s
surface-scan - global thread bs=64k direct=1 ioengine=sync verify=meta verify_pattern=0xaa555aa5 verify_interval=512 | write-phase filename=f rw=write fill_device=1 do_verify=0 | verify-phase stonewall create_serialize=0 filename=f rw=read do_verify=1
tiobench-example - global direct=1 size=512m bsrange=4k-4k timeout=60 numjobs=4 | f1 rw=write | f2 stonewall rw=randwrite | f3 stonewall rw=read | f4 stonewall rw=randread
uring-cmd-bsg - global filename=f ioengine=io_uring_cmd cmd_type=bsg size=1G iodepth=32 bs=4KB stonewall=1 | rand-write rw=randwrite | rand-read rw=randread | trimwrite rw=trimwrite
uring-cmd-fdp - global filename=f ioengine=io_uring_cmd cmd_type=nvme iodepth=32 bs=4K fdp=1 time_based=1 runtime=1000 | write-heavy rw=randrw rwmixwrite=90 fdp_pli=0,1,2,3 offset=0% size=30% | write-mid rw=randrw rwmixwrite=30 fdp_pli=4,5 offset=30% size=30% | write-light rw=randrw rwmixwrite=10 fdp_pli=6 offset=60% size=30%
uring-cmd-ng - global filename=f ioengine=io_uring_cmd cmd_type=nvme size=1G iodepth=32 bs=4K thread=1 stonewall=1 | rand-write rw=randwrite sqthread_poll=1 | rand-read rw=randread | write-opts rw=write sqthread_poll=1 sqthread_poll_cpu=0 nonvectored=1 registerfiles=1
uring-cmd-trim-multi-range - global filename=f ioengine=io_uring_cmd cmd_type=nvme size=10M iodepth=32 thread=1 stonewall=1 | write_bs bs=4096 rw=randtrim num_range=8 | write_bssplit bssplit=4k/10:64k/50:32k/40 rw=trim num_range=8
waitfor - global threads=1 group_reporting filename=f filesize=128m | writers rw=write bs=128k numjobs=4 runtime=10 | readers new_group wait_for=writers rw=randread bs=4k numjobs=4 runtime=10 | writers2 new_group wait_for=readers rw=randwrite bs=4k numjobs=4 runtime=10 | readers2 new_group wait_for=writers2 rw=randread bs=4k numjobs=4 runtime=10
xnvme-compare rw global rw=randread size=12G iodepth=1 bs=4K direct=1 thread=1 time_based=1 runtime=7 ramp_time=3 norandommap=1 allow_file_create=0 | default | override rw=${FIO_RW} iodepth=${FIO_IODEPTH} bs=${FIO_BS}
zbd-rand-write - global name=n group_reporting rw=randwrite zonemode=zbd zonesize=256M max_open_zones=32 bs=512K direct=1 numjobs=16 time_based runtime=180 | dev1 filename=f ioengine=psync
zbd-seq-read - global name=n rw=read bs=256K direct=1 numjobs=1 zonemode=zbd zonesize=256M read_beyond_wp=0 | dev1 filename=f offset=140660178944 size=10G ioengine=libaio iodepth=16
zipf - job ioengine=null rw=randread norandommap size=1280m bs=4k random_distribution=zipf:0.5
"""  # noqa: E501


@dataclass(frozen=True)
class Example:
    name: str
    refused_by: str  # a key; empty: accepted
    text: str  # a job file of the same sections, keys and values


def _example(line: str) -> Example:
    name, refused, facts = line.split(" ", 2)
    text = ""
    for section in facts.split(" | "):
        heading, *entries = section.split()
        text += "\n".join([f"[{heading}]", *entries, ""])
    return Example(name, "" if refused == "-" else refused, text)


EXAMPLES = [_example(line) for line in FACTS.strip().splitlines()]
