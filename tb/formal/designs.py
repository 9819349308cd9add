"""The arbiters that are proven, in every shape: their sources and properties, what a proof sees of
their inside, and for each property a design that does not have it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
WAYS = (1, 2, 4, 8, 16)
POLICIES = {0: "round-robin", 1: "priority-age", 2: "weighted-round-robin"}
WEIGHTED = 2
AT_THE_PORTS = (
    "GrantIsOneHot",
    "ValidIsAnyGrant",
    "IndexAgrees",
    "GrantWasRequested",
    "HeldUntilRelease",
    "FreeBusIsGranted",
)

CHECKED = "u_checked."
ARBITER = f"{CHECKED}u_arbiter."
CHECKER = f"{CHECKED}u_checker."
PORTS = f"{CHECKED}u_ports."
FAIRNESS = f"{CHECKED}u_fairness."
AGES = "gen_priority_age."


@dataclass(frozen=True, eq=False)
class Family:
    """Policies that share a source, and what is proven of them."""

    name: str
    sources: tuple[str, ...]
    properties: dict[str, str]  # and the checker that holds each

    @property
    def source(self) -> str:
        return self.sources[0]

    @property
    def top(self) -> str:
        return f"{self.name}_formal"


#: The modules that both arbiters are made of, and the checker of every arbiter's duties.
SHARED = ("grant_register.sv", "round_robin.sv")
OF_ALL = (*SHARED, "arbiter_port_checker.sv", "formal/turn_length.sv")

CHANNEL = Family(
    "channel_arbiter",
    (
        "channel_arbiter.sv",
        *OF_ALL,
        "channel_arbiter_checker.sv",
        "channel_arbiter_checked.sv",
        "formal/channel_arbiter_formal.sv",
    ),
    {
        **dict.fromkeys(AT_THE_PORTS, PORTS),
        **dict.fromkeys(("MostUrgentWins", "WaitIsBounded", "ServedInTurn"), CHECKER),
    },
)
WEIGHTED_FAMILY = Family(
    "weighted_arbiter",
    (
        "weighted_arbiter.sv",
        *OF_ALL,
        "weighted_arbiter_checker.sv",
        "weighted_arbiter_checked.sv",
        "formal/weighted_arbiter_formal.sv",
    ),
    {
        **dict.fromkeys(AT_THE_PORTS, PORTS),
        **dict.fromkeys(("ClassHasItsShare", "WayIsNotOvertaken"), FAIRNESS),
    },
)
PROPERTIES = tuple(CHANNEL.properties)


def family_of(policy: int) -> Family:
    return WEIGHTED_FAMILY if policy == WEIGHTED else CHANNEL


@dataclass(frozen=True)
class Design:
    """The arbiter in one shape. `replaced` gives sources another text: name to content."""

    ways: int
    policy: int
    replaced: tuple[tuple[str, str], ...] = ()

    @property
    def family(self) -> Family:
        return family_of(self.policy)

    def __str__(self) -> str:
        return f"{self.ways} ways, {POLICIES[self.policy]}"

    def broken(self, source: str, old: str, new: str) -> Design:
        """The design with one text of a source replaced, which must be there exactly once."""
        text = dict(self.replaced).get(source) or (RTL / source).read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"{source}: {old!r} is there {text.count(old)} times, not once")
        return self.with_source(source, text.replace(old, new))

    def with_source(self, source: str, text: str) -> Design:
        kept = tuple(pair for pair in self.replaced if pair[0] != source)
        return Design(self.ways, self.policy, (*kept, (source, text)))


def peeks(design: Design) -> dict[str, str]:
    """The wires of the formal top that show what is inside, and what each is joined to."""
    ways = design.ways
    if design.family is WEIGHTED_FAMILY:
        return _weighted_peeks(ways)
    joined = {"peek_last": f"{ARBITER}u_turn.last_q"}
    joined |= {"peek_asked": f"{CHECKED}asked", "peek_granted": f"{CHECKED}granted"}
    for name in ("passed", "aged"):
        joined[f"peek_{name}"] = CHECKER + name
    for way in range(ways):
        bound = f"{CHECKER}gen_bound[{way}]."
        joined[f"peek_count[{5 * way + 4}:{5 * way}]"] = bound + "count_q"
        joined[f"peek_served[{ways * way + ways - 1}:{ways * way}]"] = bound + "served_q"
    if design.policy == 0:
        return joined
    joined[f"{AGES}peek_promoted"] = f"{ARBITER}{AGES}promoted"
    joined[f"{AGES}peek_waiting"] = f"{ARBITER}{AGES}waiting_q"
    joined[f"{AGES}peek_checker_waiting"] = f"{CHECKER}{AGES}waiting_q"
    joined[f"{AGES}peek_checker_time"] = f"{CHECKER}{AGES}time_q"
    for way in range(ways):
        bits = f"[{32 * way + 31}:{32 * way}]"
        joined[f"{AGES}peek_stamp{bits}"] = f"{ARBITER}{AGES}gen_way[{way}].stamp_q"
        joined[f"{AGES}peek_age{bits}"] = f"{ARBITER}{AGES}gen_way[{way}].age"
        joined[f"{AGES}peek_checker_stamp{bits}"] = f"{CHECKER}{AGES}gen_way[{way}].stamp_q"
    return joined


def _weighted_peeks(ways: int) -> dict[str, str]:
    joined = {
        "peek_credit": f"{ARBITER}credit_q",
        "peek_granted": f"{CHECKED}granted",
        "peek_wanted": f"{FAIRNESS}wanted",
    }
    for kind in range(3):
        inside = f"{FAIRNESS}gen_class[{kind}]."
        first, last = ways * kind, ways * kind + ways - 1
        joined[f"peek_last[{last}:{first}]"] = f"{ARBITER}gen_class[{kind}].u_turn.last_q"
        joined[f"peek_mine[{kind}]"] = f"{inside}mine"
        joined[f"peek_others[{6 * kind + 5}:{6 * kind}]"] = f"{inside}others_q"
        for way in range(ways):
            bit = 5 * (ways * kind + way)
            joined[f"peek_count[{bit + 4}:{bit}]"] = f"{inside}gen_way[{way}].count_q"
    return joined


#: A source with what is replaced there.
Fault = tuple[str, str, str]

STUCK: Fault = ("round_robin.sv", "(take_i && served_i) ? winner_o : last_q;", "last_q;")
FREE = ("grant_register.sv", "free   = !busy_q || release_i;")

#: What breaks the properties that hold for both arbiters.
BROKEN_SHARED: dict[str, Fault] = {
    "GrantIsOneHot": ("round_robin.sv", "pool & (~pool + One)", "pool"),
    "ValidIsAnyGrant": ("grant_register.sv", "grant_d = '0;", "grant_d = grant_q;"),
    "IndexAgrees": ("grant_register.sv", "= winner_index;", "= winner_index + 1'b1;"),
    "HeldUntilRelease": (*FREE, "free   = 1'b1;"),
    "FreeBusIsGranted": (*FREE, "free   = !busy_q;"),
}

#: What breaks each property of an arbiter, and the policy that shows it.
BROKEN: dict[str, tuple[int, Fault]] = {
    **{name: (0, fault) for name, fault in BROKEN_SHARED.items()},
    "GrantWasRequested": (0, (CHANNEL.source, "candidates    = req_i;", "candidates    = '1;")),
    "MostUrgentWins": (1, (CHANNEL.source, "age >= age_limit_i;", "age > age_limit_i;")),
    "WaitIsBounded": (0, STUCK),
    "ServedInTurn": (1, STUCK),
}
_CREDIT = "served[c] ? level - 4'd1 : level;"
_READING = "req_i & ~class_high & ~class_low}"
BROKEN_WEIGHTED: dict[str, tuple[int, Fault]] = {
    **{name: (WEIGHTED, fault) for name, fault in BROKEN_SHARED.items()},
    "GrantWasRequested": (WEIGHTED, (WEIGHTED_FAMILY.source, _READING, _READING[8:])),
    "ClassHasItsShare": (WEIGHTED, (WEIGHTED_FAMILY.source, _CREDIT, "level;")),
    "WayIsNotOvertaken": (WEIGHTED, STUCK),
}

#: Steps in which each broken design fails: ten grants in a row, for the class that is starved.
REFUTED_IN = {0: 10, 1: 10, 2: 14}


def broken_design(name: str, family: Family = CHANNEL) -> Design:
    """The four-way arbiter of a family that does not have the property `name`."""
    policy, fault = (BROKEN if family is CHANNEL else BROKEN_WEIGHTED)[name]
    return Design(4, policy).broken(*fault)
