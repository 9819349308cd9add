"""How large the classes and functions of C++ sources are, as far as their text tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

#: What is no token: comments, texts, characters, lines of the preprocessor.
SKIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'|'
    r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*",
    re.DOTALL | re.MULTILINE,
)
TOKEN = re.compile(r"\w+|::|->|&&|\|\||<<|[^\w\s]")
BRANCHES = {"if", "for", "while", "case", "catch", "?"}
NO_MEMBER = {"using", "friend", "typedef", "static_assert", "enum", "template", "static"}


@dataclass
class Scope:
    kind: str  # namespace, class, struct, function, or other
    name: str = ""
    head: list[str] = field(default_factory=list)  # what stands before the next brace or semicolon
    branches: int = 0  # of a function


@dataclass
class Sizes:
    """Of a source, by name: `Class` or `Class::function`. A struct is data, and may have many."""

    methods: Counter[str] = field(default_factory=Counter)
    members: Counter[str] = field(default_factory=Counter)
    branches: Counter[str] = field(default_factory=Counter)  # the most of those of one name

    @classmethod
    def of(cls, text: str) -> Sizes:
        sizes = cls()
        stack = [Scope("namespace")]
        for token in TOKEN.findall(SKIPPED.sub(" ", text)):
            sizes._take(token, stack)
        assert len(stack) == 1, "braces are balanced"
        return sizes

    def _take(self, token: str, stack: list[Scope]) -> None:
        here = stack[-1]
        function = next((scope for scope in stack if scope.kind == "function"), None)
        if function is not None and token in BRANCHES:
            function.branches += 1
        if token == "{":
            stack.append(opened(here, function is not None))
        elif token == "}":
            stack.pop()
            self._closed(here, stack[-1])
        elif token == ";":
            self._declared(stack[-1])
        elif token == ":" and here.kind in ("class", "struct") and here.head[-1:] in SECTIONS:
            here.head.pop()
        else:
            here.head.append(token)

    def _closed(self, scope: Scope, around: Scope) -> None:
        if scope.kind == "function":
            self.branches[scope.name] = max(self.branches[scope.name], scope.branches)
            self._declared(around)
        elif scope.kind == "other" and around.kind in ("class", "struct", "namespace"):
            around.head.append("{}")  # an initializer
        else:
            around.head.clear()

    def _declared(self, scope: Scope) -> None:
        if scope.kind == "class" and scope.head:
            if is_function(scope.head):
                self.methods[scope.name] += 1
            elif not NO_MEMBER & set(scope.head) and scope.head[0] not in ("class", "struct", "{}"):
                self.members[scope.name] += 1
        scope.head.clear()


SECTIONS = (["public"], ["private"], ["protected"])


def without_brackets(head: list[str]) -> Iterator[str]:
    """The words outside of templates' <> and of ()."""
    depth = 0
    for token in head:
        if token in "([<":
            if depth == 0:
                yield token
            depth += 1
        elif token in ")]>" or token == ">>":
            depth -= 1
        elif depth <= 0:
            yield token


def is_function(head: list[str]) -> bool:
    words = list(without_brackets(head))
    before = words[: words.index("(")] if "(" in words else []
    return (
        "(" in words
        and "=" not in before
        and not {"using", "friend", "static_assert"} & set(before)
    )


def opened(here: Scope, within: bool) -> Scope:
    """What a brace behind `here.head` opens."""
    words = list(without_brackets(here.head))
    if within or here.kind == "other":
        return Scope("other")
    if "namespace" in words or words[:1] == ["extern"]:
        here.head.clear()
        return Scope("namespace")
    if "enum" in words:
        return Scope("other")
    if {"class", "struct", "union"} & set(words) and "(" not in words and "=" not in words:
        at = next(i for i, word in enumerate(here.head) if word in ("class", "struct", "union"))
        names = [word for word in here.head[at + 1 :] if re.match(r"[A-Za-z_]", word)]
        kind = "class" if here.head[at] == "class" else "struct"
        here.head.clear()
        return Scope(kind, "::".join([*filter(None, [here.name]), *names[:1]]))
    if is_function(here.head) and not in_initializers(here.head):
        return Scope("function", name_of(here, here.head))
    return Scope("other")


def in_initializers(head: list[str]) -> bool:
    """Of a constructor: a brace behind the name of a member gives its value."""
    words = list(without_brackets(head))
    if ":" not in words[words.index("(") :]:
        return False
    return re.match(r"\w", head[-1]) is not None or head[-1] == ">"


def name_of(here: Scope, head: list[str]) -> str:
    words = list(without_brackets(head))
    at = head.index("(")
    name = head[at - 1]
    if name == "operator" or "operator" in words:
        name = "operator"
    if at >= 3 and head[at - 2] == "::":
        return f"{head[at - 3]}::{name}"
    return f"{here.name}::{name}" if here.name else name
