#!/usr/bin/env python3
"""Boots Debian's cloud kernel in QEMU, without KVM, and runs a shell script in it. Its disk is a
network block device or a file. Its root is in memory: busybox, and a few programs of this machine.

    boot.py --disk URI [--out DIR] SCRIPT

The script runs as root; $disk is its disk, and the files that it leaves in /out come to DIR. Its
output is ours, and so is its exit status. Needs no root, and Debian's packages qemu-system-x86 and
busybox-static, and those of the programs.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build" / "guest"
KERNEL = BUILD / "vmlinuz"
#: Debian's package that depends on the newest kernel for virtual machines.
PACKAGE = "linux-image-cloud-amd64"
#: What a guest has beside busybox, whose shell takes its own commands for those of other packages.
PROGRAMS = ["dash", "fio", "mke2fs", "e2fsck", "sqlite3"]

INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/usr/bin:/bin HOME=/ disk=/dev/nvme0n1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
dmesg -n 3
tries=0
while [ ! -b $disk ] && [ $tries -lt 100 ]; do
  usleep 100000
  tries=$((tries + 1))
done
dash /script
echo $? > /out/.status
stty -F /dev/ttyS1 raw -echo
tar -C /out -c . > /dev/ttyS1
poweroff -f
"""


class UserError(Exception):
    """What is wrong; what would be right."""


# ---- the kernel ---------------------------------------------------------------------------------


def fetch_kernel(to: Path = KERNEL) -> None:
    """The kernel out of Debian's package, which is not installed: no boot loader hears of it."""
    described = command("apt-cache", "depends", PACKAGE)
    found = re.search(r"Depends: (linux-image-\S+)", described)
    if found is None:
        raise UserError(f"apt knows no {PACKAGE}; run apt-get update, or give --kernel FILE")
    with tempfile.TemporaryDirectory() as folder:
        command("apt-get", "download", found[1], folder=folder)
        (package,) = Path(folder).glob("*.deb")
        unpacked = subprocess.run(
            ["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True
        )
    with tarfile.open(fileobj=io.BytesIO(unpacked.stdout)) as files:
        (name,) = (name for name in files.getnames() if name.startswith("./boot/vmlinuz-"))
        kernel = files.extractfile(name)
        assert kernel is not None
        to.parent.mkdir(parents=True, exist_ok=True)
        partial = to.with_suffix(f".{os.getpid()}")
        partial.write_bytes(kernel.read())
        partial.replace(to)


def command(*words: str, folder: str | None = None) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:]
        raise UserError(f"{' '.join(words)} failed: {''.join(last)}; run apt-get update first")
    return done.stdout


# ---- its root -----------------------------------------------------------------------------------


class Archive:
    """A cpio archive of the kind that Linux unpacks at its start (newc)."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.folders = {""}

    def _add(
        self, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)
    ) -> None:
        path = name.encode() + b"\0"
        fields = (len(self.data), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        self.data += b"070701" + b"".join(b"%08x" % field for field in fields) + path
        self.data += bytes(-len(self.data) % 4)
        self.data += data
        self.data += bytes(-len(self.data) % 4)

    def folder(self, name: str) -> None:
        if name not in self.folders:
            self.folder(name.rpartition("/")[0])
            self.folders.add(name)
            self._add(name, 0o040755)

    def file(self, name: str, data: bytes) -> None:
        self.folder(name.rpartition("/")[0])
        self._add(name, 0o100755, data)

    def console(self) -> None:
        self.folder("dev")
        self._add("dev/console", 0o020600, device=(5, 1))

    def finish(self) -> bytes:
        self._add("TRAILER!!!", 0)
        return bytes(self.data)


def found_program(name: str) -> Path:
    where = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if where is None:
        raise UserError(f"there is no program {name}; apt-get install its package")
    return Path(where)


def libraries(program: Path) -> set[str]:
    """Those that the dynamic linker would load, and itself."""
    return set(re.findall(r"(/\S+) \(0x", command("ldd", str(program))))


def make_root(script: bytes, programs: list[str]) -> bytes:
    root = Archive()
    for name in ("proc", "sys", "dev", "tmp", "mnt", "out", "etc"):
        root.folder(name)
    root.console()
    root.file("bin/busybox", found_program("busybox").read_bytes())
    needed: set[str] = set()
    for name in programs:
        program = found_program(name)
        root.file(f"usr/bin/{program.name}", program.read_bytes())
        needed |= libraries(program)
    for library in sorted(needed):
        root.file(library.lstrip("/"), Path(library).read_bytes())
    root.file("script", script)
    root.file("init", INIT.encode())
    return root.finish()


# ---- the machine --------------------------------------------------------------------------------


def machine(options: argparse.Namespace, root: Path, results: Path) -> list[str]:
    return [
        *("qemu-system-x86_64", "-accel", options.accel, "-m", options.memory, "-nodefaults"),
        *("-display", "none", "-no-reboot", "-serial", "stdio", "-serial", f"file:{results}"),
        *("-kernel", str(options.kernel), "-initrd", str(root)),
        *("-append", "console=ttyS0 quiet panic=-1 no_timer_check"),
        *("-drive", f"if=none,id=disk,format=raw,discard=unmap,file={options.disk}"),
        *("-device", "nvme,drive=disk,serial=cavern"),
    ]


def boot(options: argparse.Namespace) -> int:
    """Returns the exit status of the script."""
    if shutil.which("qemu-system-x86_64") is None:
        raise UserError("there is no qemu-system-x86_64; apt-get install qemu-system-x86")
    if not options.kernel.exists():
        raise UserError(f"there is no kernel {options.kernel}; name a file with --kernel")
    try:
        script = options.script.read_bytes()
    except OSError as error:
        raise UserError(
            f"{options.script} cannot be read: {error.strerror}; name a script"
        ) from error
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "initramfs"
        root.write_bytes(make_root(script, options.programs or PROGRAMS))
        results = Path(folder) / "results.tar"
        with subprocess.Popen(machine(options, root, results), stdin=subprocess.DEVNULL) as guest:
            signal.signal(signal.SIGTERM, lambda *_: guest.kill())
            try:
                guest.wait(options.timeout)
            except subprocess.TimeoutExpired:
                guest.kill()
        status = take_results(results, options.out)
    if status is None:
        print("the guest ended before its script did", file=sys.stderr)
        return 1
    return status


def take_results(archive: Path, out: Path | None) -> int | None:
    """The files of the guest; the status of its script, if that came to its end."""
    status = None
    try:
        with tarfile.open(archive) as files:
            for member in files:
                content = files.extractfile(member)
                name = Path(member.name).name
                if content is None:
                    continue
                if name == ".status":
                    status = int(content.read())
                elif out is not None:
                    out.mkdir(parents=True, exist_ok=True)
                    (out / name).write_bytes(content.read())
    except (tarfile.ReadError, ValueError):
        return None
    return status


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("script", metavar="SCRIPT", type=Path, nargs="?", help="of the shell")
    parser.add_argument("--disk", metavar="URI", help="as QEMU names it: nbd+unix:///?socket=PATH")
    parser.add_argument("--out", metavar="DIR", type=Path, help="where the files of /out come to")
    parser.add_argument(
        "--program",
        metavar="NAME",
        dest="programs",
        action="append",
        help=f"a program of the guest, instead of {', '.join(PROGRAMS)}; can be repeated",
    )
    parser.add_argument("--kernel", metavar="FILE", type=Path, default=KERNEL)
    parser.add_argument("--memory", metavar="SIZE", default="512M")
    parser.add_argument("--accel", default="tcg", help="kvm, where this machine allows it")
    parser.add_argument("--timeout", metavar="S", type=float, help="ends the guest after so long")
    parser.add_argument("--fetch", action="store_true", help="gets the kernel, if it is not there")
    options = parser.parse_args()
    if not options.fetch and (options.script is None or options.disk is None):
        parser.error("a guest has a SCRIPT and a --disk")
    return options


def main() -> int:
    options = parse()
    try:
        if not KERNEL.exists() and options.kernel == KERNEL:
            fetch_kernel()
        return 0 if options.fetch else boot(options)
    except UserError as error:
        print(f"error: <command line>:1: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
