"""How large classes and functions of C++ may be. The length of files says little: a class can have
nine."""

from __future__ import annotations

import pytest

from tests.cli.cpp_sizes import Sizes
from tests.cli.programs import ROOT

MOST_METHODS, MOST_MEMBERS, MOST_BRANCHES = 40, 25, 15

#: What is larger, with what it has at most, and why.
LARGER: dict[str, dict[str, tuple[int, str]]] = {
    "methods": {
        "model/core/buffer/write_buffer.h: WriteBuffer": (44, "read, written, trimmed and flushed"),
        "model/core/drive/drive_core.h: DriveCore": (92, "the face of the core: all go through it"),
        "model/core/ftl/dftl.h: Dftl": (68, "its map, and the cache of it"),
        "model/core/ftl/flash_space.h: FlashSpace": (65, "the physical side of all maps"),
        "model/cpu/hart.h: Hart": (47, "what debugger, profile and lockstep see of it"),
        "model/nvme/nvme_controller.h: Controller": (45, "a method for each admin command"),
        "model/timed/buffer/page_flow.h: PageFlow": (42, "a method for each step of a page"),
        "model/timed/dram/fr_fcfs_scheduler.h: FrFcfsScheduler": (58, "a method for each rule"),
    },
    "members": {
        "model/core/buffer/write_buffer.h: WriteBuffer": (34, "what its options need beside lists"),
        "model/core/drive/drive_core.h: DriveCore": (39, "its parts, and scratch of a decision"),
        "firmware/controller/processor_firmware.h: ProcessorFirmware": (
            27,
            "a processor around it",
        ),
        "model/nvme/nvme_controller.h: Controller": (28, "a register or feature each"),
        "model/timed/dram/fr_fcfs_scheduler.h: FrFcfsScheduler": (41, "a time for each rule"),
        "model/workload/trace_statistics.h: TraceStatistics": (28, "a statistic each"),
    },
    "branches": {
        "model/core/drive/precondition.cpp: precondition": (22, "filled, written, in rounds"),
        "model/core/ftl/page_ftl_why_not.cpp: page_ftl_why_not": (23, "a sentence each"),
        "model/core/parts/sdram_timing.cpp: find_problem": (17, "a rule each"),
        "model/cpu/csr_file.cpp: CsrFile::read": (19, "a case for each register"),
        "model/cpu/gdb_session.cpp: GdbSession::reply_to": (24, "a case for each packet"),
        "model/cpu/hart.cpp: Hart::refill": (18, "a case for each kind of instruction"),
        "model/cpu/hart_run.cpp: Hart::execute": (77, "the interpreter: a case an instruction"),
        "model/nvme/nvme_admin.cpp: Controller::set_features": (19, "a case for each feature"),
        "model/results/flash_waves.cpp: FlashWaves::bus": (17, "a case for each phase"),
        "model/results/law.cpp: Law::value": (17, "a case for each operator"),
        "model/workload/vscsi_reader.cpp: effect_of": (23, "a case for each command of SCSI"),
    },
}
MOST = {"methods": MOST_METHODS, "members": MOST_MEMBERS, "branches": MOST_BRANCHES}


def measured() -> dict[str, dict[str, int]]:
    """By `path: name`."""
    found: dict[str, dict[str, int]] = {what: {} for what in MOST}
    for folder in ("model", "firmware"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".c", ".cpp"):
                sizes = Sizes.of(path.read_text(encoding="utf-8"))
                for what, largest in found.items():
                    for name, number in getattr(sizes, what).items():
                        largest[f"{path.relative_to(ROOT)}: {name}"] = number
    return found


def over(what: str, numbers: dict[str, int], allowed: dict[str, tuple[int, str]]) -> list[str]:
    """What is larger than it may be, and what is allowed more than it needs."""
    wrong = []
    for name, number in numbers.items():
        most = allowed.get(name, (MOST[what], ""))[0]
        if number > most:
            wrong.append(f"{name} has {number} {what}, {most} are allowed")
    for name, (most, _) in allowed.items():
        if numbers.get(name, 0) <= MOST[what] or numbers[name] < most:
            wrong.append(f"{name} is allowed {most} {what} and has {numbers.get(name)}")
    return wrong


def test_classes_and_functions_are_no_larger_than_they_may_be() -> None:
    sizes = measured()
    assert len(sizes["methods"]) > 300 and len(sizes["branches"]) > 1500
    assert [one for what in MOST for one in over(what, sizes[what], LARGER[what])] == []
    assert all(reason for larger in LARGER.values() for _, reason in larger.values())


MADE = """
#define MANY if(x) {{ if(x) {{
namespace {{
template <typename T, typename = std::enable_if_t<(sizeof(T) > 4)>>
class Large final : public Base<int> {{
  public:
    Large() : a_{{1}}, b_(2) {{}} // if while for
    enum class Kind {{ kOne, kTwo }};
    using Act = std::function<void(int)>;
    struct Inner {{ int one; int two() const {{ return one ? 1 : 2; }} }};
    {methods}
  private:
    {members}
}};
int f(const std::vector<int>& x) {{
    const char* text = "if (x) {{ while";
    for (int i : x) {{ {branches} }}
    return [&] {{ return x.empty() ? 1 : 0; }}();
}}
}}
"""


@pytest.mark.parametrize(("more", "found"), [(0, 0), (1, 3)])
def test_what_is_larger_by_one_is_found(more: int, found: int) -> None:
    text = MADE.format(
        methods="[[nodiscard]] virtual int m(int x = f(1), bool) const = 0;"
        * (MOST_METHODS - 1 + more),
        members="std::array<int, 3> a_{1, 2}; ///< of (these)\n" * (MOST_MEMBERS + more),
        branches="if (i == ';') { continue; }" * (MOST_BRANCHES - 2 + more),
    )
    sizes = Sizes.of(text)
    assert sizes.methods["Large"] == MOST_METHODS + more
    assert sizes.members["Large"] == MOST_MEMBERS + more
    assert sizes.branches["f"] == MOST_BRANCHES + more
    assert (
        "Large::Inner" not in sizes.methods | sizes.members
        and sizes.branches["Large::Inner::two"] == 1
    )
    assert sum(len(over(what, getattr(sizes, what), {})) for what in MOST) == found
    # Nor is anything allowed that is not needed.
    name = "Large"
    assert len(over("methods", dict(sizes.methods), {name: (MOST_METHODS + 1, "why")})) == 1 - more
