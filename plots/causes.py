"""Who kept a request waiting: back from its answer to its arrival, each instant with its cause.

A request waits for a tag until an earlier one is answered; for a frame of the write buffer until
the program of a page that leaves has ended; for the flash until its die has done what came before.
So the wait leads to a die, and the timeline says what that did. Times are in ns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from cavern.plots.die_work import ROUNDING, DieWork, Work
from cavern.plots.life import Life
from cavern.plots.texts import digits, time_unit

#: What a cause is called. Those of a die's own are origins of flash operations, as the timeline has
#: them (model/core/base/decision_log.h).
CAUSES = {
    "gc": "collection",
    "merge": "merges of log blocks",
    "padding": "padding",
    "map": "reads and programs of the map",
    "wear": "wear levelling",
    "recovery": "recovery from a loss of power",
    "rescue": "moving pages out of a failing block",
    "failed": "programs that failed",
    "rmw": "reading the rest of pages written in part",
    "fold": "folding out of the SLC cache",
    "refresh": "refresh",
    "checkpoint": "checkpoints",
    "program": "programs of the write buffer",
    "read": "reads of other requests",
    "erase": "erases for the host",
    "own": "its own operations of the flash",
    "bus": "waiting for the bus",
    "link": "the host link and the SDRAM",
    "command": "the way of the command to the device",
    "processor": "the processors of the controller",
    "tag": "a tag, held by an earlier request",
    "frame": "a free frame of the write buffer",
    "flash": "the flash, of which no operation is known",
}
#: These need no timeline to be known.
STAGES_ALONE = ("frame", "flash", "tag")
KINDS = {"tR": "read", "command": "read", "data out": "read", "tBERS": "erase"}


#: A die that does nothing for longer waits for something else than its next operation's data.
IDLE_NS = 50_000.0


@dataclass(frozen=True)
class Piece:
    """Some of the wait and its cause; `die` is empty where no die had it."""

    begin: float
    end: float
    cause: str
    die: str = ""

    @property
    def length(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class Wait:
    """All of a request's latency, in order of time; and the requests whose answers it awaited to
    have a tag, the last first."""

    life: Life
    pieces: list[Piece]
    behind: list[int]
    #: Earlier requests without an answer when it arrived.
    before_it: int

    def sums(self) -> dict[str, float]:
        """By cause, the greatest first."""
        sums: dict[str, float] = defaultdict(float)
        for piece in self.pieces:
            sums[piece.cause] += piece.length
        return dict(sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])))

    def dies(self, cause: str | None = None) -> dict[str, float]:
        """How long it waited for each die, the longest first."""
        sums: dict[str, float] = defaultdict(float)
        for piece in self.pieces:
            if piece.die and cause in (None, piece.cause):
                sums[piece.die] += piece.length
        return dict(sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])))


def verdict(wait: Wait) -> str:
    """One line: the greatest cause, where it was, and how much of the latency it is."""
    if not wait.life.latency_ns:
        return "It took no time."
    cause, length = next(iter(wait.sums().items()))
    dies = list(wait.dies(cause))
    where = f" on {len(dies)} dies"
    if len(dies) < 3:
        where = " on die" + "s" * (len(dies) - 1) + f" {' and '.join(dies)}" if dies else ""
    unit, size = time_unit(wait.life.latency_ns)
    what = CAUSES.get(cause, cause)
    if cause in STAGES_ALONE:
        what = f"waiting for {what}"
    part, whole = digits(length / size), digits(wait.life.latency_ns / size)
    return f"{what[0].upper()}{what[1:]}{where}: {part} of {whole} {unit}"


@dataclass
class _Following:
    """What is known beside the request itself. `work` is None without a timeline."""

    life: Life
    work: DieWork | None
    #: When requests were taken up, by number.
    started: dict[int, float]
    #: What is later has its cause already.
    until: float
    pieces: list[Piece] = field(default_factory=list)

    def add(self, begin: float, end: float, cause: str, die: str = "") -> None:
        """As far as it is after the request's arrival, and has no cause yet."""
        begin, end = max(begin, self.life.arrival_ns), min(end, self.until)
        if end > begin:
            self.pieces.append(Piece(begin, end, cause, die))

    def service(self, one: Life) -> None:
        """From when the device had a request to its answer."""
        at = float(one.at_device_ns)
        lengths = {name: one.length_ns(name) for name in ("frame", "flash")}
        started = float(one.started_ns)
        self.add(at, started, "processor")
        if one.op == "write":
            framed = started + lengths["frame"]
            self.frame(started, framed)
            self.through(one, framed, lengths["flash"])
            return
        if one.op != "read":  # requests.csv has no flash for the programs that a flush awaits
            self.flash(one, started, one.complete_ns)
            return
        read = started + lengths["flash"]
        self.flash(one, started, read)
        self.frame(read, read + lengths["frame"])
        self.add(read + lengths["frame"], one.complete_ns, "link")

    def through(self, one: Life, framed: float, flash: float) -> None:
        """The rest of a write; where it waits for its own program, that ends late in it."""
        ended = float(one.complete_ns)
        if flash and self.work:
            own = [w.end for w in self.work.of(one.number) if w.name == "tPROG" and w.end <= ended]
            ended = max([framed + flash, *own])
        begun = ended - flash if flash else ended
        self.add(framed, begun, "link")
        self.flash(one, begun, ended)
        self.add(ended, one.complete_ns, "link")

    def frame(self, begin: float, end: float) -> None:
        """A wait that the program of a page of the buffer ended."""
        self.programs(begin, end, None, "frame")

    def programs(self, begin: float, end: float, own: Life | None, otherwise: str) -> None:
        """A wait that the program which ended last in it has ended. While that was not decided yet,
        or its die stood idle for want of its data, the programs before it were waited for: frames
        go to who waits longest."""
        begin = max(begin, float(self.life.arrival_ns))
        while end > begin:
            last = self.work.last_program(begin, end) if self.work else None
            if last is None or self.work is None:
                self.add(begin, end, otherwise)
                return
            ended = end if end - last.end <= ROUNDING else last.end
            self.add(ended, end, otherwise)
            since = max(self.decided(last), self.idle_until(last.die, begin, last.begin))
            before = self.work.last_program(begin, min(since, last.begin))
            since = before.end if before and before.end < ended and since > begin else begin
            self.die(last, since, ended, own)
            end = since

    def decided(self, work: Work) -> float:
        """When the request that brought it was taken up; before all else where that is over."""
        return max((self.started.get(one, 0.0) for one in work.requests), default=0.0)

    def idle_until(self, die: str, begin: float, end: float) -> float:
        """The end of the last time in which the die stood idle; `begin` if it did not."""
        assert self.work is not None
        kinds = (self.work.array, self.work.bus, self.work.waits)
        busy = [one for kind in kinds for one in kind[die].within(begin, end)]
        since = end
        for one in sorted(busy, key=lambda one: -one.end):
            if since - one.end > IDLE_NS:
                return since
            since = min(since, one.begin)
        return since if since - begin > IDLE_NS else begin

    def flash(self, one: Life, begin: float, end: float) -> None:
        """A wait that the request's own operation ended; that of a flush, the last program."""
        if one.op not in ("read", "write"):
            self.programs(begin, end, one, "link")
            return
        name = "tR" if one.op == "read" else "tPROG"
        own = [w for w in self.work.of(one.number) if w.name == name] if self.work else []
        inside = [w for w in own if begin < w.end <= end + ROUNDING]
        if inside:
            self.die(max(inside, key=lambda w: w.end), begin, end, one)
        else:
            self.add(begin, end, "flash")

    def die(self, last: Work, begin: float, end: float, own: Life | None) -> None:
        """What the die of `last`, which ended the wait, did until then. What it did not do, it
        waited for: its turn on the bus, or data for what it did next."""
        assert self.work is not None
        die = last.die
        left = [(max(begin, float(self.life.arrival_ns)), end)]
        layers = [self.work.array[die].within(begin, end), self.work.bus[die].within(begin, end)]
        if own is not None:  # such as the look-up in the map, which another die may hold
            layers.append([w for w in self.work.of(own.number) if w.die != die])
        for layer in layers:
            left = self.cover(left, [(w, cause_of(w, own)) for w in layer], die)
        left = self.cover(left, [(w, "bus") for w in self.work.waits[die].within(begin, end)], die)
        for gap in left:
            coming = self.work.array[die].next_after(gap[1]) or last
            self.add(*gap, cause_of(coming if coming.begin < end else last, own), die)

    def cover(
        self, left: list[tuple[float, float]], layer: Iterable[tuple[Work, str]], die: str
    ) -> list[tuple[float, float]]:
        """Takes what a layer explains out of what is left; both are in order of time."""
        works = list(layer)
        rest, place = [], 0
        for begin, end in left:
            at = begin
            while place < len(works) and works[place][0].begin < end:
                work, cause = works[place]
                low, high = max(at, work.begin), min(end, work.end)
                if low < high:
                    self.add(low, high, cause, die)
                    if at < low:
                        rest.append((at, low))
                    at = high
                if work.end > end:
                    break  # it may reach into the next
                place += 1
            if at < end:
                rest.append((at, end))
        return rest


def cause_of(work: Work, own: Life | None) -> str:
    """Of the wait for that work; `own` is the request that waits, if it may wait for its own."""
    if work.origin != "host":
        return work.origin
    if own is not None and own.number in work.requests:
        return "own"
    return KINDS.get(work.name, "program")


def follow(
    life: Life, others: list[Life], work: DieWork | None, tags: int, in_turn: bool = False
) -> Wait:
    """`others` are the requests under way between its arrival and its answer; `tags` how many the
    drive takes at a time. `in_turn`: one waits until those before it have their frames."""

    def over(one: Life) -> int:
        return one.started_ns + one.length_ns("frame") if in_turn else one.complete_ns

    before = [one for one in others if one.number < life.number and over(one) > life.arrival_ns]
    waiting = sorted(before, key=lambda one: (over(one), one.number))
    ends = [over(one) for one in waiting]
    started = {one.number: float(one.started_ns) for one in [*others, life]}
    following = _Following(life, work, started, life.complete_ns)
    one, place = life, len(waiting) if in_turn or len(waiting) >= tags else 0
    behind: list[int] = []
    while True:
        following.service(one)
        at = one.at_device_ns
        if at <= life.arrival_ns:
            break
        place = bisect_right(ends, at + ROUNDING, 0, place) - 1
        if place < 0:
            following.add(life.arrival_ns, at, "tag" if behind else "command")
            break
        one = waiting[place]
        following.add(over(one), at, "command")
        following.until = over(one)
        behind.append(one.number)
    pieces = sorted(following.pieces, key=lambda piece: (piece.begin, piece.end))
    return Wait(life, pieces, behind, len(waiting))
