"""`./cavern explain`: one request's life in words and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from cavern.plots.colours import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILLION
from cavern.plots.life import Life, Operation
from cavern.plots.texts import time_text

BAR = 30  # characters
COLORS = {
    "queue": MUTED,
    "processor": PURPLE,
    "frame": VERMILLION,
    "flash": BLUE,
    "transfer": GREEN,
}
SYMBOLS = {
    "tR": "read of a page",
    "tPROG": "program of a page",
    "tBERS": "erase of a block",
    "tRST": "reset",
}
ORIGINS = {
    "host": "",
    "gc": ", for garbage collection",
    "merge": ", for a merge",
    "map": ", for the map",
    "padding": ", padding",
    "wear": ", for wear levelling",
    "refresh": ", before it cannot be read any more",
}
ROW, LEFT, WIDTH, TOP = 22, 150, 720, 54


def nanoseconds(value: int) -> str:
    return f"{value:,} ns"


def words(life: Life, operations: Sequence[Operation] | None) -> str:
    """`operations` is None where nobody wrote down what the dies did."""
    pages = "page" if life.pages == 1 else "pages"
    lines = [
        f"Request {life.number}: {life.op} of {life.size:,} bytes at {life.offset:,}, "
        f"{life.pages} {pages}, {life.hits} of them found in the buffer.",
        f"It arrived at {time_text(life.arrival_ns)} and was answered "
        f"{nanoseconds(life.latency_ns)} later:",
        "",
    ]
    figures = [nanoseconds(stage.length_ns) for stage in life.stages]
    width = max(len(figure) for figure in [*figures, nanoseconds(life.latency_ns)])
    for stage, figure in zip(life.stages, figures, strict=True):
        share = stage.length_ns / life.latency_ns if life.latency_ns else 0.0
        bar = "█" * round(BAR * share)
        lines.append(f"  {stage.name:<10} {figure:>{width}} {100 * share:5.1f} %  {bar}".rstrip())
    lines += [f"  {'together':<10} {nanoseconds(life.latency_ns):>{width}}", ""]
    lines += sentences(life)
    lines += [""] + told_operations(life, operations)
    return "\n".join(lines) + "\n"


def sentences(life: Life) -> list[str]:
    if life.latency_ns == 0:
        return ["It took no time."]
    longest = life.longest
    share = 100 * longest.length_ns / life.latency_ns
    said = [f"Most of it ({share:.0f} %) is {longest.what}."]
    if share >= 50:
        said.append(f"That is long where {longest.why}.")
    return said


def told_operations(life: Life, operations: Sequence[Operation] | None) -> list[str]:
    if operations is None:
        return ["A run with --timeline DIR/timeline.json also shows what the dies did for it."]
    if not operations:
        return ["No die did anything for it in the time of the timeline."]
    lines = [f"Dies did {len(operations)} things for it:"]
    for operation in operations:
        after = operation.start_us * 1e3 - life.arrival_ns
        lines.append(
            f"  die {operation.die:<6} {SYMBOLS.get(operation.name, operation.name)}"
            f"{ORIGINS.get(operation.origin, ', ' + operation.origin)}: "
            f"{time_text(operation.length_us * 1e3)}, {time_text(after)} after it arrived"
        )
    return lines


def picture(life: Life, operations: Sequence[Operation]) -> str:
    """SVG: the stages one behind the other, and below, on the same axis, what each die did."""
    begin = life.arrival_ns
    end = max([begin + life.latency_ns, *((o.start_us + o.length_us) * 1e3 for o in operations)])
    scale = WIDTH / max(end - begin, 1)
    dies = list(dict.fromkeys(operation.die for operation in operations))
    height = TOP + ROW * (len(life.stages) + len(dies)) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" '
        f'font-family="sans-serif" font-size="12" role="img">',
        f"<title>Request {life.number}: {escape(life.op)}</title>",
        f'<text x="10" y="22" font-size="15" fill="{INK}">Request {life.number}: '
        f"{escape(life.op)} of {life.size:,} bytes, {nanoseconds(life.latency_ns)}</text>",
    ]

    def bar(row: int, start: float, length: float, color: str, told: str) -> None:
        parts.append(
            f'<rect x="{LEFT + (start - begin) * scale:.2f}" y="{TOP + ROW * row + 3}" '
            f'width="{max(length * scale, 0.5):.2f}" height="{ROW - 6}" fill="{color}">'
            f"<title>{escape(told)}</title></rect>"
        )

    def label(row: int, text: str) -> None:
        y = TOP + ROW * row + 15
        parts.append(f'<text x="10" y="{y}" fill="{INK}">{escape(text)}</text>')

    at = begin
    for row, stage in enumerate(life.stages):
        label(row, f"{stage.name} {time_text(stage.length_ns)}")
        if stage.length_ns:
            told = f"{stage.what}: {nanoseconds(stage.length_ns)}"
            bar(row, at, stage.length_ns, COLORS[stage.name], told)
        at += stage.length_ns
    for row, die in enumerate(dies, len(life.stages)):
        label(row, f"die {die}")
        for operation in operations:
            if operation.die == die:
                length = operation.length_us * 1e3
                told = f"{operation.name} ({operation.origin}): {time_text(length)}"
                color = SKY if operation.origin == "host" else ORANGE
                bar(row, operation.start_us * 1e3, length, color, told)
    parts.append(
        f'<text x="{LEFT}" y="{height - 14}" fill="{MUTED}">0</text>'
        f'<text x="{LEFT + WIDTH}" y="{height - 14}" fill="{MUTED}" text-anchor="end">'
        f"{time_text(end - begin)} after it arrived</text></svg>"
    )
    return "\n".join(parts) + "\n"
