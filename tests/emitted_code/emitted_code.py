# SPDX-License-Identifier: Apache-2.0
"""Checks generated kernels, as ONEDNN_JIT_DUMP writes them, by disassembly.

Of each kernel:
- it begins with endbr64, has one ret, and constants follow its last instruction, which is a ret or jmp
  that no jump of the kernel leads beyond;
- every jump leads to an instruction of the kernel; calls lead to one routine of the kernel's own, which
  has a ret, too, and finds and leaves the stack as the call does;
- on every path to ret, rsp has its first value, rbx rbp r12-r15 hold what they held at the entry, and
  no upper halves of vector registers are in use (vzeroupper);
- stores go through a register, or to the kernel's own frame on the stack below the saved registers,
  to which the red zone belongs; a register that is known to point to the stack counts as rsp does;
- loads relative to rip read the kernel's constants;
- each instruction is in the table of instructions.tsv with a level that the kernel's level includes.

A path is followed by data flow: the state at an instruction is what holds on every path to it.
"""

import re
from pathlib import Path

from disassembly import (ALIASES, CALLEE_SAVED, Memory, address_of, disassemble, form_of, immediate,
                         is_memory)

# Level -> the levels whose instructions it has.
LEVELS = {"avx2": {"base", "avx2"},
          "avx2_vnni": {"base", "avx2", "avx2_vnni"},
          "avx512_core": {"base", "avx2", "avx512_core"},
          "avx512_core_vnni": {"base", "avx2", "avx512_core", "avx512_core_vnni"},
          "avx512_core_bf16": {"base", "avx2", "avx512_core", "avx512_core_vnni",
                               "avx512_core_bf16"},
          "avx512_core_amx": {"base", "avx2", "avx512_core", "avx512_core_vnni",
                              "avx512_core_bf16", "avx512_core_amx"}}
RED_ZONE = 128  # bytes below rsp that a function without calls may use
RETURN = "the return address of a call"


class Instruction:
    """A form at an address, and whether plain instructions behind it write wide vectors."""

    def __init__(self, line, form):
        self.address, self.text, self.form = address_of(line), line[2].strip(), form
        self.name, self.operands = form.name, form.operands
        self.precedes_wide = False


class State:
    """What holds before an instruction on every path to it."""

    def __init__(self, depth=0, saved=None, kept=frozenset(CALLEE_SAVED), wide=False, frames=None):
        self.depth = depth          # bytes that rsp lies below its value at the entry
        self.saved = saved or {}    # depth -> the register whose first value lies there
        self.kept = kept            # registers that hold what they held at the entry
        self.wide = wide            # upper halves of vector registers may be in use
        self.frames = frames or {}  # register -> (least, greatest) depth that it points to

    def __eq__(self, other):
        return vars(self) == vars(other)

    def joined(self, other):
        saved = dict(self.saved.items() & other.saved.items())
        frames = dict(self.frames.items() & other.frames.items())
        return State(self.depth, saved, self.kept & other.kept, self.wide or other.wide, frames)


class Checker:
    """Collects what is wrong with one kernel."""

    def __init__(self, size, level, table):
        self.size, self.level, self.table = size, level, table
        self.faults = []
        self.red_zone = RED_ZONE
        self.returns = []  # of steps: the places behind calls

    def fault(self, one, text):
        address, what = ((one.address, one.text) if isinstance(one, Instruction)
                         else (address_of(one), one[2].strip()))
        line = f"{address:#x}: {what}: {text}"
        if line not in self.faults:
            self.faults.append(line)

    def check(self, code):
        if not code.lines:
            self.faults.append("has no instructions")
            return self.faults
        returns = sum(kind.name == "ret" for kind in code.kinds)
        routines = {line[2].strip() for line, kind in zip(code.lines, code.kinds)
                    if kind.name == "call"}
        if len(routines) > 1:
            self.faults.append("calls more than one routine")
        if returns != 1 + len(routines):
            self.faults.append(f"{returns} times ret, should be once"
                               + ", and once in a routine" * len(routines))
        if self.faults:
            return self.faults
        if routines:  # a call stores there
            self.red_zone = 0
        if code.kinds[0].name != "endbr64":
            self.fault(code.lines[0], "the entry is no endbr64")
        self.check_levels(code)
        self.check_constants(code)
        self.follow(self.steps(code))
        return self.faults

    def check_levels(self, code):
        wrong = {kind: text for kind in set(code.kinds) if (text := self.fault_of_level(kind))}
        for line, kind in zip(code.lines, code.kinds):
            if kind in wrong:
                self.fault(line, wrong[kind])

    def fault_of_level(self, kind):
        row = self.table.get(kind.name)
        needed = row and row["evex" if kind.encoding == "evex" else "other"]
        if not needed:
            return f"instructions.tsv has no {kind.encoding} form of {kind.name}"
        if needed not in LEVELS[self.level]:
            return f"needs {needed}; the kernel is for {self.level}"
        return None

    def check_constants(self, code):
        for line, kind in zip(code.lines, code.kinds):
            for memory in kind.constants:
                at = int(line[2].rpartition("# 0x")[2], 16)
                if memory.is_written:
                    self.fault(line, "stores relative to rip")
                elif at < code.end or at + memory.size > self.size:
                    self.fault(line, "reads neither code's constants nor an operand")

    def steps(self, code):
        """The instructions that change a state or are led to by a jump, and the first one."""
        frames = {kind.frame for kind in code.kinds if kind.frame}
        width = len(code.lines[0][0])
        leaders = {f"{target:x}:".rjust(width) for target in code.targets}
        steps = []
        for line, kind in zip(code.lines, code.kinds):
            on_stack = kind.has_numbers or not frames.isdisjoint(kind.registers)
            if on_stack or not kind.is_plain or line[0] in leaders or not steps:
                form = form_of(kind.encoding, line[2].strip()) if on_stack else kind.form
                steps.append(Instruction(line, form))
            elif kind.widens:
                steps[-1].precedes_wide = True
        return steps

    def follow(self, steps):
        places = {one.address: i for i, one in enumerate(steps)}
        self.returns = [i + 1 for i, one in enumerate(steps) if one.name == "call"]
        states, waiting = {0: State()}, [0]
        while waiting:
            place = waiting.pop()
            one = steps[place]
            state = self.after(one, states[place])
            for successor in self.successors(one, place, places, states[place]):
                following = state
                if one.precedes_wide and successor == place + 1:
                    following = State(**{**vars(state), "wide": True})
                old = states.get(successor)
                if old and old.depth != state.depth:
                    self.fault(one, "rsp differs between the paths that meet at the next")
                    continue
                new = old.joined(following) if old else following
                if old is None or new != old:
                    states[successor] = new
                    waiting.append(successor)

    def successors(self, one, place, places, before):
        following = [] if one.name in ("ret", "jmp", "call") else [place + 1]
        if one.name == "ret" and before.saved.get(before.depth) == RETURN:
            following = self.returns
        if one.form.is_jump:
            if one.form.target is None:
                self.fault(one, "is an indirect jump")
            else:
                following.append(places.get(one.form.target))
        if None in following or len(places) in following:
            self.fault(one, "leads to what is no instruction of the kernel")
        return [place for place in following if place is not None and place < len(places)]

    def after(self, one, before):
        state = State(before.depth, dict(before.saved), before.kept, before.wide,
                      dict(before.frames))
        for memory in one.form.memory:
            self.check_memory(one, memory, state)
        if one.name == "push":
            state.depth += 8
            state.saved.pop(state.depth, None)
            if one.operands[0] in state.kept:
                state.saved[state.depth] = one.operands[0]
        elif one.name == "pop":
            value = state.saved.pop(state.depth, None)
            state.depth -= 8
            register = ALIASES.get(one.operands[0])
            state.frames.pop(register, None)
            state.kept = state.kept - {register} | ({register} if value == register else set())
        elif one.name == "call":
            state.depth += 8
            state.saved[state.depth] = RETURN
        elif one.name == "ret" and state.saved.get(state.depth) == RETURN:
            del state.saved[state.depth]
            state.depth -= 8
        elif one.name == "ret":
            self.check_return(one, state)
        elif one.name == "vzeroupper":
            state.wide = False
        else:
            self.write_register(one, state)
        return state

    def write_register(self, one, state):
        written = [one.form.written]
        if one.name == "xchg":
            written.append(one.operands[1])
        for operand in written:
            if operand is None or is_memory(operand):
                continue
            register = ALIASES.get(operand)
            if register == "rsp":
                self.move_stack(one, state)
            elif register:
                self.move_frame(one, register, state)
            state.kept = state.kept - {register}
            state.wide |= operand.startswith(("ymm", "zmm"))

    def move_frame(self, one, register, state):
        """Keeps the depths that a register points to where they follow from rsp."""
        old, new = state.frames.pop(register, None), None
        source = one.operands[-1]
        change = immediate(source)
        if ALIASES.get(one.operands[0]) != one.operands[0]:
            return
        if one.name == "mov" and source == "rsp":
            new = state.depth, state.depth
        elif one.name == "lea" and Memory(source).registers == ["rsp"]:
            depth = state.depth - Memory(source).displacement
            new = depth, depth
        elif old and one.name in ("add", "sub") and change is not None:
            change = change if one.name == "sub" else -change
            new = old[0] + change, old[1] + change
        elif old and one.name == "and" and change is not None and change < 0:
            new = old[0], old[1] - change - 1
        if new:
            state.frames[register] = new

    def move_stack(self, one, state):
        change = immediate(one.operands[-1])
        if one.name not in ("add", "sub") or change is None:
            return self.fault(one, "changes rsp by an unknown value")
        state.depth += change if one.name == "sub" else -change
        for depth in [depth for depth in state.saved if depth > state.depth]:
            self.fault(one, "releases a saved register")
            del state.saved[depth]

    def check_memory(self, one, memory, state):
        if memory.segment and memory.segment[1] in ("fs", "gs"):
            self.fault(one, "uses a segment")
        if not memory.registers:
            self.fault(one, "has an absolute address")
        elif "rsp" in memory.registers or any(name in state.frames for name in memory.registers):
            self.check_stack(one, memory, state)

    def check_stack(self, one, memory, state):
        if len(memory.registers) != 1:
            return self.fault(one, "has an unknown place on the stack")
        least, greatest = state.frames.get(memory.registers[0], (state.depth, state.depth))
        high = greatest - memory.displacement  # depth of the operand's lowest byte, at most
        low = least - memory.displacement - memory.size
        if high > state.depth + self.red_zone or low < 0:
            self.fault(one, "lies outside the kernel's frame")
        elif memory.is_written and any(low < depth and depth - 8 < high for depth in state.saved):
            self.fault(one, "overwrites a saved register")

    def check_return(self, one, state):
        if state.depth != 0:
            self.fault(one, f"rsp is {state.depth} bytes too low")
        changed = [register for register in CALLEE_SAVED if register not in state.kept]
        if changed:
            self.fault(one, "not restored: " + " ".join(changed))
        if state.wide:
            self.fault(one, "no vzeroupper after the use of wide vectors")


def read_table(path=Path(__file__).with_name("instructions.tsv")):
    table = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, other, evex = line.split("\t")
            table[name] = {"other": other if other != "-" else None,
                           "evex": evex if evex != "-" else None}
    return table


def level_of(name):
    """The level that a kernel's name ends with; None if the name has been cut."""
    match = re.search(rf"_({'|'.join(LEVELS)})(\.\d+\.bin)?$", name)
    return match[1] if match else None


def check_files(files):
    """File -> what is wrong, for those with faults."""
    table, wrong = read_table(), {}
    for file, code in disassemble(files):
        level = level_of(file.name)
        faults = (Checker(file.stat().st_size, level, table).check(code) if level
                  else ["its name has no level"])
        if faults:
            wrong[file] = faults
    return wrong
