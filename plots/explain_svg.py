"""The picture of `./cavern explain`: a request's stages, its wait, and what its dies did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from cavern.plots.causes import CAUSES, Piece, Wait, cause_of, verdict
from cavern.plots.colours import (
    BACKGROUND,
    BUS,
    COLLECTION,
    CPU,
    ERASE,
    FLASH,
    FRAME,
    GRID,
    INK,
    LINK,
    MUTED,
    PAPER,
    QUEUE,
    READ,
    WRITE,
    ink_on,
)
from cavern.plots.die_work import DieWork, Work
from cavern.plots.explain import title
from cavern.plots.texts import printable, round_step, time_text, time_unit

LEFT, WIDTH, RIGHT = 190, 730, 30
ROW, BAR = 24, 14
TOP = 62
LEAST = 1.5  # a bar that is seen
MOST_DIES = 8
LETTER = 6.2  # width of a letter of 11 px
STAGE_COLOURS = {"queue": QUEUE, "processor": CPU, "frame": FRAME, "flash": FLASH, "transfer": LINK}
#: What the request itself brought to a die, by kind; it has a rim.
KIND_COLOURS = {"tR": READ, "tPROG": WRITE, "tBERS": ERASE, "tRST": INK}
KINDS = {"tR": "read", "tPROG": "program", "tBERS": "erase", "tRST": "reset"}
#: A cause that is a part of a stage has its colour.
CAUSE_COLOURS = {
    "gc": COLLECTION,
    "program": WRITE,
    "read": READ,
    "erase": ERASE,
    "own": FLASH,
    "flash": FLASH,
    "bus": BUS,
    "link": LINK,
    "command": QUEUE,
    "tag": QUEUE,
    "processor": CPU,
    "frame": FRAME,
}


@dataclass(frozen=True)
class _Bar:
    begin: float
    end: float
    colour: str
    told: str
    label: str = ""


@dataclass
class _Canvas:
    begin: float
    scale: float
    parts: list[str] = field(default_factory=list)
    rows: float = 0

    def x(self, time: float) -> float:
        return LEFT + (time - self.begin) * self.scale

    def text(self, x: float, y: float, text: str, **marks: str) -> None:
        extra = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in marks.items())
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(text)}</text>')

    def row(self, label: str, bars: Sequence[_Bar]) -> None:
        top = TOP + ROW * self.rows
        self.rows += 1
        self.text(10, top + 16, label, fill=INK)
        self.parts.append(
            f'<rect x="{LEFT}" y="{top + 5}" width="{WIDTH}" height="{BAR}" fill="{PAPER}" '
            f'stroke="{GRID}" stroke-width="0.5"/>'
        )
        for bar in self.visible(bars):
            left, right = self.x(bar.begin), self.x(bar.end)
            self.parts.append(
                f'<rect class="bar" x="{left:.2f}" y="{top + 5}" width="{right - left:.2f}" '
                f'height="{BAR}" fill="{bar.colour}" stroke="{PAPER}" stroke-width="0.4">'
                f"<title>{escape(bar.told)}</title></rect>"
            )
            if bar.label and right - left > LETTER * len(bar.label) + 6:
                self.text(left + 4, top + 16, bar.label, fill=ink_on(bar.colour), font_size="11")

    def visible(self, bars: Sequence[_Bar]) -> list[_Bar]:
        """As they are where each is wide enough; else the row in steps that are, each in the colour
        that has most of it."""
        if all((bar.end - bar.begin) * self.scale >= LEAST for bar in bars):
            return list(bars)
        step = LEAST / self.scale
        shares: dict[int, dict[str, float]] = {}
        for bar in bars:
            first = int((bar.begin - self.begin) / step)
            last = int(max(bar.end - self.begin - 1e-6 * step, 0) / step)
            for place in range(first, max(first, last) + 1):
                low = self.begin + place * step
                share = min(bar.end, low + step) - max(bar.begin, low)
                there = shares.setdefault(place, {})
                there[bar.colour] = there.get(bar.colour, 0.0) + share
        told = {bar.colour: bar.told.partition(":")[0] for bar in reversed(bars)}
        found: list[_Bar] = []
        for place in sorted(shares):
            colour = max(shares[place], key=lambda one: (shares[place][one], one))
            low = self.begin + place * step
            if found and found[-1].colour == colour and low - found[-1].end < step / 2:
                low = found.pop().begin
            end = self.begin + (place + 1) * step
            found.append(_Bar(low, end, colour, told[colour]))
        return found

    def own(self, works: Sequence[Work]) -> None:
        """In the row just drawn: what the request brought, by kind, with its label below."""
        top = TOP + ROW * (self.rows - 1) + 5
        free = 0.0
        for work in works:
            left = self.x(work.begin)
            width = max(work.length * self.scale, LEAST)
            told = f"{KINDS[work.name]} {time_text(work.length)}"
            self.parts.append(
                f'<rect class="own" x="{left:.2f}" y="{top}" width="{width:.2f}" height="{BAR}" '
                f'fill="{KIND_COLOURS[work.name]}" stroke="{INK}">'
                f"<title>{escape(told)}</title></rect>"
            )
            at = min(left, LEFT + WIDTH - LETTER * len(told))
            if at >= free:
                self.text(at, top + BAR + 11, told, fill=INK, font_size="11")
                free = at + LETTER * len(told) + 6
        self.rows += 0.6


def _colour(cause: str) -> str:
    return CAUSE_COLOURS.get(cause, BACKGROUND)


def picture(wait: Wait, work: DieWork | None, identity: str = "") -> str:
    """SVG. Nothing in it is thinner than can be seen; times are since the request arrived."""
    life = wait.life
    begin, end = float(life.arrival_ns), float(max(life.complete_ns, life.arrival_ns + 1))
    canvas = _Canvas(begin, WIDTH / (end - begin))
    at = begin
    for stage in life.stages:
        if stage.length_ns:
            told = f"{stage.what}: {time_text(stage.length_ns)}"
            bar = _Bar(at, at + stage.length_ns, STAGE_COLOURS[stage.name], told)
            canvas.row(f"{stage.name}, {time_text(stage.length_ns)}", [bar])
        at += stage.length_ns
    shown = {piece.cause: None for piece in wait.pieces}
    canvas.row("waited in the end for", [_piece(piece) for piece in wait.pieces])
    for die in _dies(wait, work):
        assert work is not None
        works = work.array[die].within(begin, end)
        own = [one for one in works if life.number in one.requests and one.origin == "host"]
        others = [one for one in works if one not in own]
        canvas.row(f"die {die}", [_work(one, begin, end) for one in others])
        if own:
            canvas.own(own)
        shown |= {cause_of(one, None): None for one in others}
    bottom = TOP + ROW * canvas.rows + 6
    _axis(canvas, end, bottom)
    height = _legend(canvas, list(shown), bottom + 52)
    return _page(canvas, wait, height, identity)


def _piece(piece: Piece) -> _Bar:
    name = CAUSES.get(piece.cause, piece.cause)
    where = f" (die {piece.die})" if piece.die else ""
    return _Bar(
        piece.begin,
        piece.end,
        _colour(piece.cause),
        f"{name}: {time_text(piece.length)}{where}",
        name,
    )


def _dies(wait: Wait, work: DieWork | None) -> list[str]:
    """Those that it waited for, the longest first, and those that worked for it."""
    if work is None:
        return []
    brought = [one.die for one in work.of(wait.life.number)]
    return [die for die in dict.fromkeys([*wait.dies(), *brought]) if die in work.array][:MOST_DIES]


def _work(one: Work, begin: float, end: float) -> _Bar:
    cause = cause_of(one, None)
    told = f"{CAUSES.get(cause, cause)}: {KINDS[one.name]}, {time_text(one.length)}"
    return _Bar(max(one.begin, begin), min(one.end, end), _colour(cause), told, KINDS[one.name])


def _axis(canvas: _Canvas, end: float, y: float) -> None:
    unit, length = time_unit(end - canvas.begin)
    last = (end - canvas.begin) / length
    step = round_step(last)
    canvas.parts.append(
        f'<path d="M{LEFT} {y}H{LEFT + WIDTH}" stroke="{MUTED}" stroke-width="1" fill="none"/>'
    )
    for tick in range(int(last / step + 1e-9) + 1):
        x = canvas.x(canvas.begin + tick * step * length)
        canvas.parts.append(f'<path class="tick" d="M{x:.1f} {y}v5" stroke="{MUTED}"/>')
        canvas.text(x, y + 17, f"{tick * step:g}", fill=MUTED, text_anchor="middle")
    canvas.text(
        LEFT + WIDTH / 2, y + 34, f"time since it arrived ({unit})", fill=INK, text_anchor="middle"
    )


def _legend(canvas: _Canvas, shown: list[str], y: float) -> float:
    """Colours of the rows of dies and of the wait; returns where the picture ends."""
    entries: dict[str, list[str]] = {}
    for one in shown:
        entries.setdefault(_colour(one), []).append(CAUSES.get(one, one))
    x = 10.0
    for colour, names in entries.items():
        name = "; ".join(names)
        width = 22 + LETTER * len(name) + 18
        if x + width > LEFT + WIDTH + RIGHT and x > 10:
            x, y = 10.0, y + 18
        canvas.parts.append(
            f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="14" height="11" fill="{colour}"/>'
        )
        canvas.text(x + 20, y, name, fill=INK, font_size="11")
        x += width
    return y + 14


def _page(canvas: _Canvas, wait: Wait, height: float, identity: str) -> str:
    head = f"{title(wait.life)}, {time_text(wait.life.latency_ns)}"
    width = LEFT + WIDTH + RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" '
        f'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(head)}</title>",
        *([f"<desc>cavern-run {identity}</desc>"] if identity else []),
        f'<rect width="{width}" height="{height:.0f}" fill="{PAPER}"/>',
        f'<text x="10" y="24" font-size="16" font-weight="bold" fill="{INK}">{escape(head)}</text>',
        f'<text x="10" y="45" font-size="13" fill="{INK}">{escape(verdict(wait))}</text>',
        *canvas.parts,
        "</svg>",
    ]
    return printable("\n".join(parts)) + "\n"
