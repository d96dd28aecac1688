# SPDX-License-Identifier: Apache-2.0
"""The lines of ONEDNN_VERBOSE as events."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

PREFIX = re.compile(r"(?:onednn|dnnl)_verbose,(?:v1,)?(.*)")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?$")


@dataclass(frozen=True)
class Problem:
    """What a primitive was made for, as a line describes it."""

    kind: str
    prop_kind: str
    tensors: str
    attributes: str
    auxiliary: str
    shape: str

    @property
    def key(self):
        """What a refusal and an execution have in common; layouts that the caller left open are known
        only after an implementation has accepted."""
        return (self.kind, self.prop_kind, self.attributes, self.auxiliary, self.shape, self.types)

    @property
    def types(self):
        """"f32:s8": the types of the tensors in the order of their first occurrence, without repeats."""
        names = [part.split(":")[1] for part in self.tensors.split() if part.count(":") > 1]
        return ":".join(dict.fromkeys(name for name in names if name != "undef"))

    @property
    def layouts(self):
        """"src:ab dst:ba", of the tensors that most operations have, and weights."""
        found = []
        for part in self.tensors.split():
            fields = part.split(":")
            if len(fields) > 4 and fields[0] in ("src", "src0", "data", "wei", "dst", "diff_src"):
                found.append(f"{fields[0]}:{fields[4]}")
        return " ".join(found)

    def text(self):
        """One line that names the problem."""
        parts = [self.prop_kind if self.prop_kind != "undef" else "", self.types, self.layouts,
                 self.attributes, self.auxiliary if self.auxiliary != "flags:" else "", self.shape]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class Event:
    """A line with a time: of an execution ("exec") or a creation ("create:cache_miss", ...)."""

    name: str
    problem: Problem
    implementation: str
    milliseconds: float
    begin: float  # milliseconds since 1970; without time stamps, None


@dataclass
class Log:
    """All that a log says."""

    information: list = field(default_factory=list)  # lines of the header
    events: list = field(default_factory=list)
    graph_events: list = field(default_factory=list)
    refusals: dict = field(default_factory=lambda: defaultdict(dict))  # by Problem.key: by implementation
    messages: list = field(default_factory=list)  # errors, warnings, and calls that were refused
    has_dispatch: bool = False

    def executions(self):
        return [event for event in self.events if event.name == "exec"]

    def creations(self):
        return [event for event in self.events if event.name.startswith("create:")]


def read(lines):
    """A Log of lines of text. Lines that are no lines of verbose mode are skipped; so are those that
    were cut off."""
    log = Log()
    for line in lines:
        match = PREFIX.search(line.rstrip("\r\n"))
        if match:
            _add(log, match[1].split(","))
    return log


def _add(log, fields):
    begin = None
    if NUMBER.match(fields[0]):
        begin = float(fields[0])
        fields = fields[1:]
    if len(fields) < 3:
        return
    if "info" in fields[:2]:
        text = ",".join(fields[1:] if fields[0] == "info" else fields[2:])
        if not text.startswith("template:"):
            log.information.append(text)
        return
    component, name, rest = fields[0], fields[1], fields[2:]
    if name == "create:dispatch" and component == "primitive":
        _add_refusal(log, rest)
    elif name == "exec" or name.startswith(("create:cache", "compile:cache")):
        _add_event(log, component, name, rest, begin)
    else:
        log.messages.append(",".join(fields))


def _add_refusal(log, fields):
    # kind, engine, kind, implementation, prop_kind, tensors, attributes, auxiliary, shape, reason, place;
    # the reason may have commas.
    if len(fields) < 11:
        return
    problem = Problem(fields[2], *fields[4:9])
    log.has_dispatch = True
    log.refusals[problem.key][fields[3]] = ",".join(fields[9:-1])


def _add_event(log, component, name, fields, begin):
    if not fields or not NUMBER.match(fields[-1]):
        return
    milliseconds = float(fields[-1])
    if component == "graph" and len(fields) == 11:
        # engine, partition, kind, operations, formats, tensors, mode, scratchpad, implementation, backend
        problem = Problem(fields[2], "", "", "", "", fields[3].replace(";", " "))
        log.graph_events.append(Event(name, problem, fields[8], milliseconds, begin))
    elif component == "primitive" and len(fields) == 9:
        # engine, kind, implementation, prop_kind, tensors, attributes, auxiliary, shape
        problem = Problem(fields[1], *fields[3:8])
        log.events.append(Event(name, problem, fields[2], milliseconds, begin))
