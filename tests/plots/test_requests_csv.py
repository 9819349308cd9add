"""requests.csv: the bulk reader, the careful one, and what each refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cavern.errors import InputError
from cavern.plots import requests_csv
from cavern.plots.requests_csv import COLUMNS, READ, WRITE, read_requests

HEADER = ",".join(COLUMNS)
GOOD = "0,W,0,4096,100,110,200,100,10,20,30,40,2,1,0"


def write(path: Path, *lines: str, end: str = "\n") -> Path:
    file = path / "requests.csv"
    file.write_text("\n".join(lines) + end)
    return file


def test_columns_are_read_as_written(tmp_path: Path) -> None:
    read = GOOD.replace("W", "R").replace("0,R", "7,R", 1)
    requests = read_requests(write(tmp_path, HEADER, GOOD, read))
    assert requests["id"].tolist() == [0, 7]
    assert requests["op"].tolist() == [WRITE, READ]
    assert requests["latency_ns"].tolist() == [100, 100]
    assert [requests[name].tolist() for name in ("pages", "hits")] == [[2, 2], [1, 1]]
    assert requests.kinds == [READ, WRITE]
    assert requests.of(READ)["id"].tolist() == [7]


def test_bulk_reader_and_careful_reader_agree() -> None:
    engine = np.random.default_rng(3)
    rows = []
    for number in range(500):
        values = engine.integers(0, 10**17, len(COLUMNS)).tolist()
        values[1] = "RWTFZ"[number % 5]
        rows.append(",".join(map(str, values)))
    chunk = ("\n".join(rows) + "\n").encode()
    fast = requests_csv._parse_fast(chunk, len(COLUMNS), 1)
    careful = requests_csv._parse_with_care(Path("x"), 2, chunk, list(COLUMNS))
    assert fast is not None
    assert fast.shape == (500, len(COLUMNS))
    assert np.array_equal(fast, careful)
    # Control: the comparison sees a single changed digit.
    changed = requests_csv._parse_fast(chunk.replace(b"R,1", b"R,2", 1), len(COLUMNS), 1)
    assert changed is not None and not np.array_equal(changed, careful)


@pytest.mark.parametrize(
    "row",
    [
        GOOD.replace("0,W", "0,,W", 1),
        GOOD.replace(",4096", ""),
        GOOD.replace("4096", "40 96"),
        GOOD.replace("4096", "-4096"),
        GOOD.replace("4096", "4W96"),
        GOOD.replace("W", "X"),
        GOOD.replace("W", "WW"),
        GOOD.replace("4096", ""),
        GOOD.replace("4096", "1" * 19),
    ],
)
def test_bulk_reader_leaves_odd_rows_to_the_careful_one(row: str) -> None:
    chunk = f"{GOOD}\n{row}\n".encode()
    assert requests_csv._parse_fast(f"{GOOD}\n{GOOD}\n".encode(), len(COLUMNS), 1) is not None
    assert requests_csv._parse_fast(chunk, len(COLUMNS), 1) is None


def test_order_of_columns_is_free_and_others_are_ignored(tmp_path: Path) -> None:
    names = ["note", *reversed(COLUMNS)]
    row = ["some text", *reversed(GOOD.split(","))]
    requests = read_requests(write(tmp_path, ",".join(names), ",".join(row)))
    plain = read_requests(write(tmp_path, HEADER, GOOD))
    for name in COLUMNS:
        assert requests[name].tolist() == plain[name].tolist()
    numbers = ["9", *reversed(GOOD.split(","))]
    requests = read_requests(write(tmp_path, ",".join(names), ",".join(numbers)))
    assert requests["size"].tolist() == [4096] and requests["hits"].tolist() == [1]


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        (["id,op"], 1, 'column "offset" is missing'),
        ([HEADER.replace("pages", "hits"), GOOD], 1, 'column "pages" is missing'),
        ([HEADER + ",id", GOOD + ",0"], 1, 'column "id" occurs twice'),
        ([HEADER, GOOD, GOOD[:-8]], 3, "12 fields"),
        ([HEADER, GOOD, GOOD + ",5"], 3, "16 fields"),
        ([HEADER, GOOD, "", GOOD], 3, "0 fields"),
        ([HEADER, GOOD, GOOD, GOOD.replace("4096", "-1")], 4, 'size is "-1"'),
        ([HEADER, GOOD.replace("W", "Q")], 2, 'op is "Q"'),
        ([HEADER, GOOD.replace("100,10,", "100,16,")], 2, "the parts add up to 106 ns"),
        ([HEADER, GOOD.replace("110,200", "110,99")], 2, "complete_ns is before arrival_ns"),
        ([HEADER, GOOD.replace("2,1", "2,3")], 2, "more hits than pages"),
    ],
)
def test_wrong_input_names_file_and_line(
    tmp_path: Path, lines: list[str], line: int, what: str
) -> None:
    file = write(tmp_path, *lines)
    with pytest.raises(InputError) as caught:
        read_requests(file)
    assert str(caught.value).startswith(f"{file}:{line}: {what}")


def test_file_cut_in_its_last_line_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, HEADER, GOOD, GOOD[:20], end="")
    with pytest.raises(InputError, match=":3: "):
        read_requests(file)
    assert len(read_requests(write(tmp_path, HEADER, GOOD, GOOD, end=""))) == 2


def test_the_parts_add_up_to_the_nanosecond(tmp_path: Path) -> None:
    # So the model says (model/results/request_rows.cpp); the control is each row of these tests.
    with pytest.raises(InputError, match="add up to 100 ns, latency_ns is 101"):
        read_requests(write(tmp_path, HEADER, GOOD.replace("100,10,", "101,10,")))


def test_lines_are_counted_across_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests_csv, "CHUNK_BYTES", 100)
    rows = [GOOD.replace("0,W", f"{number},W", 1) for number in range(50)]
    assert read_requests(write(tmp_path, HEADER, *rows))["id"].tolist() == list(range(50))
    rows[40] = rows[40].replace("4096", "4k")
    with pytest.raises(InputError, match=r":42: size is \"4k\""):
        read_requests(write(tmp_path, HEADER, *rows))


def test_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    assert len(read_requests(write(tmp_path, HEADER))) == 0
