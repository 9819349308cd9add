"""The events of timeline.json, each of which has what its kind needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.plots.results import MOST_PLACES
from cavern.reading.json_file import line_of, read_json

MOST_US = 1e13  # 2^63 ps

Event = dict[str, Any]


class EventFile:
    """Raises InputError where the file is no timeline."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data, self._text = read_json(path, "a Chrome trace-event object")
        found = data.get("traceEvents") if isinstance(data, dict) else None
        if not isinstance(found, list):
            right = "expected a list of that name"
            raise InputError(path, 1, '"traceEvents" is missing', right)
        self.events: list[Event] = found
        for event in self.events:
            if fault := _fault(event):
                right = "expected a Chrome trace event with pid, tid, ts and, for ph X, dur"
                raise self.error(event, fault, right)

    def error(self, event: Event, what: str, right: str) -> InputError:
        index = next(i for i, one in enumerate(self.events) if one is event)
        return InputError(self.path, line_of(self._text, ["traceEvents", index]), what, right)


def is_number(value: Any) -> bool:
    """Whether it may be a time, or is as small as one."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -MOST_US <= value <= MOST_US


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_place(value: Any) -> bool:
    return _is_whole(value) and 0 <= value < MOST_PLACES


#: What an event of each kind must have.
_NUMBERS = {"X": ("ts", "dur"), "i": ("ts",), "C": ("ts",)}
_PLACES = {"X": ("pid", "tid"), "i": ("pid", "tid"), "C": ("pid",)}


def _fault(event: Any) -> str:
    """What makes an event unreadable, or nothing."""
    if not isinstance(event, dict) or not isinstance(event.get("ph"), str):
        return "an event without ph"
    phase = event["ph"]
    for key in _PLACES.get(phase, ()):
        if not _is_whole(event.get(key)):
            return f'an event (ph {phase}) whose "{key}" is not a number'
    for key in _NUMBERS.get(phase, ()):
        if not is_number(event.get(key)):
            return f'an event (ph {phase}) whose "{key}" is not a number'
    if phase in _NUMBERS and not isinstance(event.get("name"), str):
        return "an event without name"
    if phase == "X" and event["dur"] < 0:
        return "an event of negative duration"
    if not isinstance(event.get("args", {}), dict):
        return 'an event whose "args" is not an object'
    return ""
