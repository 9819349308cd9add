"""Closed formulas: what SATA and PCIe leave of their rates."""

from __future__ import annotations

from collections.abc import Iterator

from cavern.validate.bench import BASE, Bench
from cavern.validate.row import Row

# Nothing but the link in the way: pages never written are read, and all writes find room.
LINK: dict[str, object] = {
    **BASE,
    "dram.size": "128MiB",
    "buffer.size": "64MiB",
    "nand.blocks_per_plane": 512,
}


HANDSHAKE = 600e-9  # default of host.sata.handshake, around every frame


def sata_formula(generation: int, op: str, size: int) -> tuple[float, str]:
    """Seconds that a queued command of `size` bytes keeps the link, from register FIS to Set Device
    Bits, and the same in words: data, frames of data, what else there is."""
    around = 3 + 6  # SOF, CRC, EOF; six handshake primitives
    frames = size // 8192
    others = 2 * (5 + around) + (7 + around) + (2 + around)  # registers, DMA Setup, Set Device Bits
    handshakes = frames + 4
    if op == "write":
        others += (frames - 1) * (1 + around)  # DMA Activate
        handshakes += frames - 1
    rate = 75e6 * 2**generation
    dwords = size // 4 + frames * (1 + around) + others
    text = (
        f"128 KiB in ({size // 4} + {frames} x {1 + around} + {others}) dwords at "
        f"{rate / 1e6:g} MB/s x 254/256, and {handshakes} x {HANDSHAKE * 1e9:g} ns"
    )
    return dwords * 4 / rate * 256 / 254 + handshakes * HANDSHAKE, text


def nvme_formula(generation: int, op: str, size: int) -> tuple[float, str]:
    """Seconds that a command of `size` bytes takes of the direction of the link that carries its
    data, and the same in words: data, packets of data, what else goes that way."""
    packet = 24
    gigatransfers = {3: 8, 4: 16, 5: 32}[generation]
    rate = gigatransfers * 1e9 * 4 / 8 * 128 / 130 * 0.98
    entries = 8 * (size // 4096 - 1)  # of the PRP list
    if op == "read":
        others = 2 * packet + (16 + packet) + (4 + packet)  # two fetches, entry, interrupt
    else:
        others = (64 + packet) + (entries + packet) + 2 * (4 + packet)  # fetched; doorbells
    text = (
        f"128 KiB in (128 KiB + {size // 256} x {packet} + {others}) B at "
        f"4 x {gigatransfers} GT/s / 8 x 128/130 x 0.98"
    )
    return (size + size // 256 * packet + others) / rate, text


def link_rows(bench: Bench) -> Iterator[Row]:
    """Saturated 128 KiB requests against what the protocols leave, and shares by weight."""
    size = 131072
    cases = [
        *(("sata", g, 32, sata_formula, f"SATA {g}") for g in (1, 2, 3)),
        *(("nvme", g, 64, nvme_formula, f"PCIe {g} x4") for g in (3, 4, 5)),
    ]
    for interface, generation, depth, formula, name in cases:
        for op in ("read", "write"):
            seconds, text = formula(generation, op, size)
            ours = bench.steady_bandwidth(
                "cave-base.toml",
                {
                    **LINK,
                    "host.interface": interface,
                    "host.generation": generation,
                    "host.queue_depth": depth,
                },
                {
                    "rw": op,
                    "bs": "128KiB",
                    "size": "32MiB",
                    "number_ios": 2000,
                    "iodepth": depth,
                },
            )
            yield Row(
                f"saturated 128 KiB {op}, {name}",
                "MB/s",
                ours / 1e6,
                size / seconds / 1e6,
                0.01,
                text,
            )
    weights = {"high": 6, "medium": 3, "low": 1}
    run = bench.run(
        "cave-base.toml",
        {
            **LINK,
            "host.interface": "nvme",
            "host.generation": 3,
            "host.queues": 3,
            "host.queue_depth": 32,
            "host.nvme.slots": 8,
            "host.nvme.arbitration": "weighted",
            "host.nvme.priorities": '["high", "medium", "low"]',
            **{f"host.nvme.{name}_weight": weight for name, weight in weights.items()},
        },
        job={
            "rw": "randread",
            "bs": "4KiB",
            "size": "32MiB",
            "number_ios": 40_000,
            "iodepth": 96,
        },
    )
    queues = run.summary["host"]["queues"]
    total = sum(queue["bytes"] for queue in queues)
    for queue in queues:
        weight = weights[queue["priority"]]
        yield Row(
            f"share of a weighted queue, class {queue['priority']}",
            "%",
            100 * queue["bytes"] / total,
            100 * weight / sum(weights.values()),
            0.02,
            f"weight {weight} of {sum(weights.values())}",
        )
