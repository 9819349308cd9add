"""Tests passed, failed and skipped, summed up over the programs that run them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, passed: bool) -> None:
        if passed:
            self.passed += 1
        else:
            self.failed += 1

    def add_over(self, tests: int, fixtures: int) -> None:
        """So many tests that passed, and fixtures, took longer than they may."""
        self.passed -= tests
        self.failed += tests + fixtures

    def add_junit(self, report: Path) -> None:
        """Adds the cases of a JUnit file as pytest writes it."""
        for case in ET.parse(report).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed += 1
            elif case.find("skipped") is not None or case.get("status") == "notrun":
                self.skipped += 1
            else:
                self.passed += 1

    def add_report(self, report: Path, ok: bool) -> None:
        """Adds what a program has written about its tests. `ok`: it said that all is well; where it
        did not, and no test tells why, that counts as one."""
        before = self.failed
        if report.exists():
            self.add_junit(report)
        if not ok and self.failed == before:
            self.failed += 1

    def line(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")
